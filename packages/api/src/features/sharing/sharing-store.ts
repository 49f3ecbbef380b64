import type { ShareAccess } from "@berth/contract";
import type { SharedRow } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";

/** Returns the user of an organization who has this id or this email address, and is not disabled. */
export async function findMember(
  db: Queryable,
  organizationId: string,
  { id, email }: { id: string | null; email: string },
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>({
    name: "find_member",
    text: `select id from users where organization_id = $1 and (id = $2 or lower(email) = lower($3)) and disabled_at is null`,
    values: [organizationId, id, email],
  });
  return rows[0]?.id ?? null;
}

/** Sets what all members of the organization may do with an object. @param table of its kind. */
export async function setOrganizationAccess(
  tx: Queryable,
  table: string,
  id: string,
  access: ShareAccess | null,
): Promise<void> {
  await tx.query({
    name: `set_organization_access_${table}`,
    text: `update ${table} set organization_access = $2 where id = $1 and organization_access is distinct from $2`,
    values: [id, access],
  });
}

/**
 * Takes a vault from the sessions of others whose owners may not use it any more, so that their next command
 * lacks its secrets.
 */
export async function takeVaultFromSessions(tx: Queryable, { id, owner_id }: SharedRow): Promise<void> {
  await tx.query({
    name: "take_vault_from_sessions",
    text: `
      update sessions set vault_ids = array_remove(vault_ids, $1)
      where vault_ids @> array[$1::uuid] and vault_ids <> '{}' and owner_id <> $2
        and not exists (select from vaults where id = $1 and organization_access is not null)
        and not exists (select from shares where object_id = $1 and user_id = sessions.owner_id)
        and not exists (select from users where id = sessions.owner_id and role = 'admin')`,
    values: [id, owner_id],
  });
}

export async function organizationName(db: Queryable, id: string): Promise<string> {
  const { rows } = await db.query<{ name: string }>({
    name: "organization_name",
    text: "select name from organizations where id = $1",
    values: [id],
  });
  return rows[0]?.name ?? "";
}
