import { jsonRecord } from "../db/json-record.ts";
import type { Queryable } from "../db/statement.ts";

/**
 * One change: who made it, what it changed and where it came from. Ids of actors, tokens and organizations
 * are uuids.
 */
export interface AuditEntry {
  organizationId: string | null;
  actor:
    | { type: "user" | "service_account"; id: string; tokenId: string }
    /** An operator; `tokenId` is null for a command on the server's machine. */
    | { type: "operator"; tokenId: string | null }
    | { type: "service" };
  /**
   * An API operation (`agents.create`), a command (`admin users disable`), or an action of Berth itself
   * (`retention files`).
   */
  operation: string;
  /** Ids in the API's form, the outer object first. */
  resources: readonly string[];
  /** The client's address, the user name of an administrator on the machine, or `berth` for Berth itself. */
  client: string;
  userAgent: string | null;
  requestId: string | null;
}

/** The columns that are written, with their types for reading them from JSON. */
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
 * Returns the statement that appends entries, to be used as part of a larger one.
 * @param json A column of `rows` that contains what `auditRecord` returns.
 * @param rows A row source.
 */
export function insertAuditEntries(json: string, rows: string): string {
  return `insert into audit_entries (${RECORD.columns})
    select entry.* from ${rows}, json_to_record(${json}) as entry (${RECORD.definition})`;
}

/** Returns an entry as JSON fields for the database. */
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

/** Appends an entry. Call it in the transaction of the change. */
export async function appendAuditEntry(tx: Queryable, entry: AuditEntry): Promise<void> {
  await tx.query({
    name: "append_audit_entry",
    text: insertAuditEntries("given.entry", "(select $1::json as entry) as given"),
    values: [JSON.stringify(auditRecord(entry))],
  });
}
