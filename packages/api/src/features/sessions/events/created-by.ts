import { type Creator, formatId, type InputEvent, type SentEvent } from "@berth/contract";
import type { Principal } from "@berth/store/access";
import type { AuditEntry } from "@berth/store/audit";
import type { Queryable } from "@berth/store/db";
import { principalNames } from "../../principals/principal-names-store.ts";

/** Returns who makes a request, with the present name, as events have it. */
export async function creatorOf(
  db: Queryable,
  { organizationId, kind, id, signedInBy }: Principal,
): Promise<Creator> {
  const [found] = await principalNames(db, organizationId, [id]);
  const ofUser = signedInBy === null ? "personal_access_token" : "console";
  return {
    type: kind,
    id: formatId(kind, id),
    name: found?.name ?? null,
    via: kind === "user" ? ofUser : "service_account_token",
  };
}

/** Adds their creator to a client's events. */
export function createdBy(created_by: Creator, events: readonly InputEvent[]): SentEvent[] {
  return events.map((event) => ({ ...event, created_by }));
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
