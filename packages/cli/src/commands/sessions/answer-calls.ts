import type { Berth, EventOf } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../connection.ts";
import { UsageError } from "../../failure.ts";
import { printJson, printLine } from "../../print.ts";

interface AnswerOptions extends ConnectionOptions {
  /** Told to the agent with a denial. */
  message?: string;
  json?: boolean;
}

/** Lets tool calls run that wait for a confirmation: those named, else all. */
export async function allowCalls(id: string, calls: string[], options: AnswerOptions): Promise<undefined> {
  await answer(id, calls, options, () => ({ result: "allow" as const }));
}

/** Refuses tool calls that wait for a confirmation: those named, else all. */
export async function denyCalls(id: string, calls: string[], options: AnswerOptions): Promise<undefined> {
  const deny_message = options.message;
  await answer(id, calls, options, () => ({
    result: "deny" as const,
    ...(deny_message === undefined ? {} : { deny_message }),
  }));
}

type Given = { result: "allow" } | { result: "deny"; deny_message?: string };

async function answer(
  id: string,
  named: readonly string[],
  options: AnswerOptions,
  given: () => Given,
): Promise<void> {
  const client = await connect(options);
  const calls = named.length > 0 ? named : await waitingCalls(client, id);
  if (calls.length === 0) throw new UsageError("No tool call of this session waits for a confirmation.", 1);
  const events = calls.map((tool_use_id) => ({
    type: "user.tool_confirmation" as const,
    tool_use_id,
    ...given(),
  }));
  const { data } = await client.sessions.events.send(id, { events });
  if (options.json) printJson({ data });
  else for (const event of data) printLine(event.id);
}

/** What the newest pause of the session waits for and a confirmation can answer; a custom tool's result cannot be guessed. */
async function waitingCalls(client: Berth, id: string): Promise<string[]> {
  const pauses = client.sessions.events.list(id, { order: "desc", types: ["session.status_idle"], limit: 1 });
  const [pause] = (await pauses).data as EventOf<"session.status_idle">[];
  if (pause?.stop_reason.type !== "requires_action") return [];
  const wanted = new Set(pause.stop_reason.event_ids);
  const types = ["agent.tool_use" as const, "agent.mcp_tool_use" as const];
  const found: string[] = [];
  for await (const event of client.sessions.events.list(id, { order: "desc", types, limit: 100 })) {
    if (wanted.has(event.id)) found.push(event.id);
    if (found.length === wanted.size) break;
  }
  return found.reverse();
}
