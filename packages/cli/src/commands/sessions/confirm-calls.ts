import type { Berth, EventOf, SessionEvent } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import { printJson, printLine } from "../../terminal/print.ts";
import { followTurn } from "./follow-turn.ts";

interface ConfirmOptions extends ConnectionOptions {
  /** Shown to the agent with a denial. */
  message?: string;
  follow?: boolean;
  json?: boolean;
}

/** Allows tool calls that are waiting for a confirmation: those given, else all. */
export async function allowCalls(id: string, calls: string[], options: ConfirmOptions): Promise<Result> {
  return await confirm(id, calls, options, { result: "allow" });
}

/** Denies tool calls that are waiting for a confirmation: those given, else all. */
export async function denyCalls(id: string, calls: string[], options: ConfirmOptions): Promise<Result> {
  const deny_message = options.message;
  return await confirm(id, calls, options, {
    result: "deny",
    ...(deny_message === undefined ? {} : { deny_message }),
  });
}

type Result = number | undefined;
type Confirmation = { result: "allow" } | { result: "deny"; deny_message?: string };

async function confirm(
  id: string,
  named: readonly string[],
  options: ConfirmOptions,
  confirmation: Confirmation,
): Promise<Result> {
  const client = await connect(options);
  const waiting = named.length > 0 && !options.follow ? [] : await waitingCalls(client, id);
  const calls = named.length > 0 ? named : waiting.map((call) => call.id);
  if (calls.length === 0)
    throw new UsageError("No tool call of this session is waiting for a confirmation.", 1);
  const events = calls.map((tool_use_id) => ({
    type: "user.tool_confirmation" as const,
    tool_use_id,
    ...confirmation,
  }));
  const { data } = await client.sessions.events.send(id, { events });
  const sent = data.at(-1);
  if (options.follow && sent !== undefined)
    return await followTurn(client, id, { after_id: sent.id, waiting, json: options.json });
  if (options.json) printJson({ data });
  else for (const event of data) printLine(event.id);
  return undefined;
}

/** The calls that the session's last pause waits for, without those of custom tools, which need a result. */
async function waitingCalls(client: Berth, id: string): Promise<AskingCall[]> {
  const pauses = client.sessions.events.list(id, { order: "desc", types: ["session.status_idle"], limit: 1 });
  const [pause] = (await pauses).data as EventOf<"session.status_idle">[];
  if (pause?.stop_reason.type !== "requires_action") return [];
  const wanted = new Set(pause.stop_reason.event_ids);
  const types = ["agent.tool_use" as const, "agent.mcp_tool_use" as const];
  const found: AskingCall[] = [];
  for await (const event of client.sessions.events.list(id, { order: "desc", types, limit: 100 })) {
    if (isAsking(event) && wanted.has(event.id)) found.push(event);
    if (found.length === wanted.size) break;
  }
  return found.reverse();
}

type AskingCall = EventOf<"agent.tool_use" | "agent.mcp_tool_use">;

function isAsking(event: SessionEvent): event is AskingCall {
  return event.type === "agent.tool_use" || event.type === "agent.mcp_tool_use";
}
