import type { Queryable } from "../db/statement.ts";

/** Who changed what, and from where. Ids of actors, tokens and organizations are uuids. */
export interface AuditEntry {
  organizationId: string | null;
  actor: { type: "user" | "service_account"; id: string; tokenId: string } | { type: "operator" | "service" };
  /** Of the API (`agents.create`), of the command (`admin users disable`), or what Berth does by itself (`retention files`). */
  operation: string;
  /** As the API shows them, the outer one first. */
  resources: readonly string[];
  /** Address of the client; for an administrator the name of the machine's user; `berth` for Berth itself. */
  client: string;
  userAgent: string | null;
  requestId: string | null;
}

/** To be called in the transaction of the change. */
export async function appendAuditEntry(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { actor } = entry;
  const [actorId, tokenId] = "id" in actor ? [actor.id, actor.tokenId] : [null, null];
  await tx.query({
    name: "append_audit_entry",
    text: `insert into audit_entries
             (organization_id, actor_type, actor_id, token_id, operation, resources, client, user_agent, request_id)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      entry.organizationId,
      actor.type,
      actorId,
      tokenId,
      entry.operation,
      entry.resources,
      entry.client,
      entry.userAgent,
      entry.requestId,
    ],
  });
}
