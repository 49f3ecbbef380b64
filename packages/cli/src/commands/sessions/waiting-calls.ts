import type { Berth, EventOf, SessionEvent } from "@berth/sdk";

export type Confirmation =
  /** `always`: also for later calls; with a prefix only for calls of Bash that begin with it. */
  { result: "allow"; always?: { command_prefix?: string } } | { result: "deny"; deny_message?: string };

/** Returns a denial. @param message Message for the agent. Default: none. */
export function denial(message?: string): Confirmation {
  return { result: "deny", ...(message === undefined ? {} : { deny_message: message }) };
}

/**
 * Returns a permission that also adds rules to the session. @param prefix beginning of the commands of Bash
 * that are always allowed; true or an empty text for all calls of the tools.
 */
export function permission(prefix: string | true): Confirmation {
  return { result: "allow", always: prefix === true || prefix === "" ? {} : { command_prefix: prefix } };
}

/** Returns the calls to which a confirmation applies: one with a prefix applies only to calls of Bash. */
export function callsFor(calls: readonly AskingCall[], confirmation: Confirmation): AskingCall[] {
  const prefix = confirmation.result === "allow" ? confirmation.always?.command_prefix : undefined;
  return calls.filter(
    ({ type, name }) => prefix === undefined || (type === "agent.tool_use" && name === "Bash"),
  );
}

/** Returns the events that confirm or deny these calls. */
export function confirmations(calls: readonly string[], confirmation: Confirmation) {
  return calls.map((tool_use_id) => ({
    type: "user.tool_confirmation" as const,
    tool_use_id,
    ...confirmation,
  }));
}

/** Returns the calls that the last pause waits for, without custom tools, which need a result. */
export async function waitingCalls(client: Berth, id: string): Promise<AskingCall[]> {
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

export type AskingCall = EventOf<"agent.tool_use" | "agent.mcp_tool_use">;

function isAsking(event: SessionEvent): event is AskingCall {
  return event.type === "agent.tool_use" || event.type === "agent.mcp_tool_use";
}
