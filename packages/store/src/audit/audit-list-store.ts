import { type AuditEntry, formatId } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";

/** Properties of the entries to list; an entry must have all of them. */
export interface AuditFilter {
  /** The organization's uuid. */
  organizationId?: string | undefined;
  /** The uuid of the user or the service account. */
  actorId?: string | undefined;
  /** An operation such as `agents.create`, or its noun alone: `agents`. */
  operation?: string | undefined;
  /** An id in the API's form. */
  resource?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

type Row = Omit<AuditEntry, "type" | "created_at"> & { created_at: Date };

/**
 * Returns up to `limit` entries, newest first.
 * @param before Id of an entry; only earlier ones are returned. Default: from the latest.
 */
export async function listAuditEntries(
  db: Queryable,
  filter: AuditFilter,
  limit: number,
  before?: string,
): Promise<AuditEntry[]> {
  const { organizationId, actorId, operation, resource, since, until } = filter;
  const { rows } = await db.query<Row>({
    text: `select audit_entries.id::text, audit_entries.created_at, audit_entries.organization_id,
        organizations.name as organization, actor_type, actor_id, coalesce(users.email, service_accounts.name, operator_tokens.name) as actor,
        token_id, operation, resources, client, user_agent, request_id
      from audit_entries
        left join organizations on organizations.id = audit_entries.organization_id
        left join users on users.id = actor_id
        left join service_accounts on service_accounts.id = actor_id
        left join operator_tokens on actor_type = 'operator' and operator_tokens.id = token_id
      where ($1::uuid is null or audit_entries.organization_id = $1)
        and ($2::uuid is null or actor_id = $2)
        and ($3::text is null or operation = $3 or starts_with(operation, $3 || '.') or starts_with(operation, $3 || ' '))
        and ($4::text is null or resources @> array[$4])
        and ($5::timestamptz is null or audit_entries.created_at >= $5)
        and ($6::timestamptz is null or audit_entries.created_at < $6)
        and ($8::bigint is null or audit_entries.id < $8)
      order by audit_entries.id desc limit $7`,
    values: [organizationId, actorId, operation, resource, since, until, limit, before].map(
      (value) => value ?? null,
    ),
  });
  return rows.map(toLine);
}

function toLine({ organization_id, actor_type, actor_id, token_id, ...row }: Row): AuditEntry {
  const shown = (kind: Parameters<typeof formatId>[0], id: string | null) =>
    id === null ? null : formatId(kind, id);
  return {
    ...row,
    type: "audit_entry",
    created_at: row.created_at.toISOString(),
    organization_id: shown("organization", organization_id),
    actor_type,
    actor_id: actor_type === "operator" || actor_type === "service" ? null : shown(actor_type, actor_id),
    token_id: shown(actor_type === "operator" ? "operator_token" : "token", token_id),
  };
}
