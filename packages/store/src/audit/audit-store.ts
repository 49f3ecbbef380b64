import { jsonRecord } from "../db/json-record.ts";
import type { Queryable } from "../db/statement.ts";

/** Who changed what, and from where. Ids of actors, tokens and organizations are uuids. */
export interface AuditEntry {
  organizationId: string | null;
  actor:
    | { type: "user" | "service_account"; id: string; tokenId: string }
    /** With an operator token; null: on the machine. */
    | { type: "operator"; tokenId: string | null }
    | { type: "service" };
  /** Of the API (`agents.create`), of the command (`admin users disable`), or what Berth does by itself (`retention files`). */
  operation: string;
  /** As the API shows them, the outer one first. */
  resources: readonly string[];
  /** Address of the client; for an administrator on the machine the name of its user; `berth` for Berth itself. */
  client: string;
  userAgent: string | null;
  requestId: string | null;
}

/** The columns that are written, with the types by which the database reads them from JSON. */
const COLUMN_TYPES = {
  organization_id: "uuid",
  actor_type: "text",
  actor_id: "uuid",
  token_id: "uuid",
  operation: "text",
  resources: "text[]",
  client: "text",
  user_agent: "text",
  request_id: "text",
} as const;

const RECORD = jsonRecord(COLUMN_TYPES);

/**
 * The one statement that appends entries, as a part of a larger one.
 *
 * @param json A column of `rows`, with what `auditRecord` returns.
 * @param rows A row source.
 */
export function insertAuditEntries(json: string, rows: string): string {
  return `insert into audit_entries (${RECORD.columns})
    select entry.* from ${rows}, json_to_record(${json}) as entry (${RECORD.definition})`;
}

/** An entry as the database reads it from JSON. */
export function auditRecord(entry: AuditEntry): Record<keyof typeof COLUMN_TYPES, unknown> {
  const { actor } = entry;
  return {
    organization_id: entry.organizationId,
    actor_type: actor.type,
    actor_id: "id" in actor ? actor.id : null,
    token_id: "tokenId" in actor ? actor.tokenId : null,
    operation: entry.operation,
    resources: entry.resources,
    client: entry.client,
    user_agent: entry.userAgent,
    request_id: entry.requestId,
  };
}

/** To be called in the transaction of the change. */
export async function appendAuditEntry(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.query({
    name: "append_audit_entry",
    text: insertAuditEntries("given.entry", "(select $1::json as entry) as given"),
    values: [JSON.stringify(auditRecord(entry))],
  });
}
