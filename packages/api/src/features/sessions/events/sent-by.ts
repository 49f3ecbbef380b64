import { CALL_REPLY_TYPES, formatId, type InputEvent, type SentEvent } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { AuditEntry } from "@berth/store/audit";

const DECIDING: readonly string[] = [...CALL_REPLY_TYPES, "user.interrupt"];

/** Adds the sender to the events that decide what the agent may do. */
export function sentBy(
  { kind, id }: Pick<Principal, "kind" | "id">,
  events: readonly InputEvent[],
): SentEvent[] {
  const sent_by = { type: kind, id: formatId(kind, id) };
  return events.map((event) => (DECIDING.includes(event.type) ? { ...event, sent_by } : event));
}

/** Adds the calls that events reply to, and the decisions, as in `events.send allow`. */
export function auditOfReplies(entry: AuditEntry, events: readonly InputEvent[]): AuditEntry {
  const decisions = events.flatMap((event) =>
    event.type === "user.tool_confirmation" ? [event.result] : [],
  );
  const calls = events.flatMap((event) => {
    if (event.type === "user.tool_confirmation") return [event.tool_use_id];
    return event.type === "user.custom_tool_result" ? [event.custom_tool_use_id] : [];
  });
  return {
    ...entry,
    operation: [entry.operation, ...[...new Set(decisions)].toSorted()].join(" "),
    resources: [...entry.resources, ...calls],
  };
}
