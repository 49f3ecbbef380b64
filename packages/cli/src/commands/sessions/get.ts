import type { Session, SessionResource } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { count, dollars, duration, percent, tokens } from "../../terminal/quantities.ts";
import { table } from "../../terminal/table.ts";

export async function getSession(id: string, options: ConnectionOptions & OutputOptions): Promise<undefined> {
  const client = await connect(options);
  const session = await client.sessions.get(id);
  const { dim } = paletteFor(process.stdout);
  await printResult(session, options, () =>
    table(facts(session).map(([name, value]) => [dim(name), plainLine(value)])),
  );
}

function facts(session: Session): [string, string][] {
  return [
    ["id", session.id],
    ["title", session.title],
    [
      "status",
      session.archived_at === null ? session.status : `${session.status}, archived ${session.archived_at}`,
    ],
    ...lastTurn(session),
    ["agent", `${session.agent.id} (${session.agent.name}, version ${session.agent.version})`],
    ["model", session.agent.model.id],
    ["environment", session.environment_id],
    ...session.resources.map((resource): [string, string] => ["resource", describe(resource)]),
    ["usage", tokens(session.usage)],
    ["from cache", percent(session.cached_input_share)],
    ["cost", session.list_cost_usd === null ? "-" : dollars(session.list_cost_usd)],
    ...compaction(session.compaction),
    ["worked for", duration(session.stats.active_seconds)],
    ["created", session.created_at],
  ];
}

function compaction({ count: compactions, ...saved }: Session["compaction"]): [string, string][] {
  if (compactions === 0) return [];
  const { avoided_input_tokens: avoided, saved_input_tokens: net } = saved;
  const paid = net === null ? "" : `, worth ${count(net)} at the full price after their cost`;
  return [["compactions", `${count(compactions)}: ${count(avoided)} tokens not read again${paid}`]];
}

function lastTurn({ last_turn: last }: Session): [string, string][] {
  return last === null ? [] : [["last turn", `${last.outcome}, ${last.ended_at}`]];
}

function describe(resource: SessionResource): string {
  if (resource.type === "file") return `${resource.id}  ${resource.file_id} → ${resource.mount_path}`;
  if (resource.type === "memory_store") return `${resource.id}  ${resource.name} → ${resource.mount_path}`;
  const { checkout } = resource;
  const at =
    checkout === null ? "" : ` at ${checkout.type === "commit" ? checkout.sha.slice(0, 10) : checkout.name}`;
  const error = resource.error === null ? "" : `, not there: ${resource.error.message}`;
  return `${resource.id}  ${resource.url}${at} → ${resource.mount_path}${error}`;
}
