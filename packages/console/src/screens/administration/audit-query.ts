import type { AuditEntry } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import type { AdministrationSearch } from "./administration-search.ts";

/** The filters of the audit log, as the API has them. */
export type AuditQuery = {
  user_id?: string;
  service_account_id?: string;
  operation?: string;
  resource?: string;
  "created_at[gte]"?: string;
  "created_at[lt]"?: string;
};

const DAY_MS = 86_400_000;

/** Returns the filters of a search: a text is an operation, or the id of a changed object. */
export function auditQuery({ q, who, from, to }: AdministrationSearch): AuditQuery {
  const text = q?.trim() ?? "";
  const [since, until] = [timeOf(from, 0), timeOf(to, DAY_MS)];
  return {
    ...(text === "" ? {} : /^\w+_\w{20,}$/.test(text) ? { resource: text } : { operation: text }),
    ...(who === undefined ? {} : who.startsWith("svc_") ? { service_account_id: who } : { user_id: who }),
    ...(since === null ? {} : { "created_at[gte]": since }),
    ...(until === null ? {} : { "created_at[lt]": until }),
  };
}

/** Returns the time of a day's begin, in UTC, and some milliseconds; null for what is no day. */
function timeOf(day: string | undefined, afterMs: number): string | null {
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? null : new Date(time + afterMs).toISOString();
}

/** Returns the address of a file with all entries that the filters select. */
export function exportAddress(path: string, query: AuditQuery, format: "csv" | "jsonl"): string {
  return `${path}?${new URLSearchParams({ ...query, format })}`;
}

const SUMMARIES = new Map<string, string>(
  Object.values(operations)
    .flatMap((noun) => Object.values(noun))
    .map(({ id, summary }) => [id, summary]),
);

/** Returns what was done in words, as the documentation has them; a command, or what Berth did, as it is. */
export function summaryOf({ operation }: Pick<AuditEntry, "operation">): string {
  return SUMMARIES.get(operation) ?? operation;
}

/** Returns who made a change: a name, the id of somebody erased, or what else changes things. */
export function actorOf({ actor_type, actor, actor_id }: AuditEntry): string {
  if (actor_type === "service") return "Berth itself";
  if (actor_type === "operator") return actor === null ? "The operator" : `The operator (${actor})`;
  return actor ?? actor_id ?? actor_type;
}
