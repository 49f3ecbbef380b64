import type { EventOf, SessionEvent, SessionEventType } from "@berth/sdk";

type Use = EventOf<"agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use">;

/** The types of events that say what a session came to. */
export const TELLING: SessionEventType[] = [
  "session.status_idle",
  "session.error",
  "agent.message",
  "agent.tool_use",
  "agent.mcp_tool_use",
  "agent.custom_tool_use",
];

/**
 * Returns what the last turn came to, in a line: the calls that wait, the error, or what the agent said last.
 * Null where the events do not tell. @param events of the session, newest first.
 */
export function outcomeWords(events: readonly SessionEvent[]): string | null {
  const end = events.find((event) => event.type === "session.status_idle");
  const reason = end?.type === "session.status_idle" ? end.stop_reason : undefined;
  if (reason?.type === "requires_action") return callWords(events, reason.event_ids);
  if (reason?.type === "max_turns") return "It reached its limit of model requests. Open it to continue.";
  if (reason?.type === "budget_reached") return "It reached a budget. Open it to see which.";
  if (reason?.type === "retries_exhausted" || reason?.type === "refusal") {
    const error = events.find((event) => event.type === "session.error");
    return error?.type === "session.error" ? lineOf(error.error.message) : null;
  }
  const said = events.find((event) => event.type === "agent.message");
  if (said?.type !== "agent.message") return null;
  const line = lineOf(said.content.map((block) => (block.type === "text" ? block.text : "")).join(" "));
  return line?.replaceAll(/\*\*|`/g, "").replaceAll(/\*(?=\S)([^*]+)(?<=\S)\*/g, "$1") ?? null;
}

/** Returns the first of the calls, and how many more there are. */
function callWords(events: readonly SessionEvent[], ids: readonly string[]): string | null {
  const use = events.findLast((event): event is Use => ids.includes(event.id) && "input" in event);
  if (use === undefined) return null;
  const server = use.type === "agent.mcp_tool_use" ? `${use.mcp_server_name} · ` : "";
  const more = ids.length > 1 ? ` and ${ids.length - 1} more` : "";
  const about = lineOf(aboutOf(use.input));
  return `${server}${use.name}${about === null ? "" : `: ${about}`}${more}`;
}

/** The fields that say best what a call is about, in this order. */
const ABOUT = ["command", "file_path", "pattern", "question"];

function aboutOf(input: Record<string, unknown>): string {
  const name = ABOUT.find((one) => typeof input[one] === "string");
  return name === undefined
    ? Object.values(input)
        .filter((value) => typeof value === "string")
        .join(", ")
    : String(input[name]);
}

/** Returns the first line with something in it, without marks of Markdown at its beginning. */
function lineOf(text: string): string | null {
  const line = text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one));
  return line === undefined ? null : line.replace(/^[\s#>*-]+/, "").slice(0, 200);
}
