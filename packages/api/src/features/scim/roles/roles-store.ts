import { checkNotLastAdmin } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";

/**
 * Locks the organization until the transaction ends, so that each of its changes by SCIM sees the former.
 */
export async function lockOrganization(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "scim_lock_organization",
    text: "select from organizations where id = $1 for no key update",
    values: [id],
  });
}

/**
 * Gives users that the identity provider manages the role that the organization's `admin_group` gives them:
 * admin for its members, else member. Does nothing while the organization has none. Returns the uuids of those
 * whose role changed.
 *
 * @param ids uuids of the users; null for all of the organization.
 * @throws errors.lastAdmin
 */
export async function applyGroupRoles(
  tx: Queryable,
  organizationId: string,
  ids: readonly string[] | null,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string; role: "admin" | "member" }>({
    name: "scim_wrong_roles",
    text: `select u.id, wanted.role from scim_users s
        join organizations o on o.id = s.organization_id
        join users u on u.id = s.user_id
        cross join lateral (select case when exists (
          select from scim_group_members m join scim_groups g on g.id = m.group_id
          where m.user_id = s.user_id and lower(g.display_name collate "C") = lower(o.admin_group collate "C")
        ) then 'admin' else 'member' end as role) as wanted
      where s.organization_id = $1 and o.admin_group is not null and u.role <> wanted.role
        and ($2::uuid[] is null or s.user_id = any($2))
      order by wanted.role, u.id`,
    values: [organizationId, ids],
  });
  await setRoles(
    tx,
    rows.filter(({ role }) => role === "admin").map(({ id }) => id),
    "admin",
  );
  for (const { id } of rows.filter(({ role }) => role === "member")) {
    await checkNotLastAdmin(tx, { userId: id, organizationId });
    await setRoles(tx, [id], "member");
  }
  return rows.map(({ id }) => id);
}

async function setRoles(tx: Queryable, ids: readonly string[], role: "admin" | "member"): Promise<void> {
  if (ids.length === 0) return;
  await tx.query({
    name: "scim_set_roles",
    text: "update users set role = $2, updated_at = now() where id = any($1::uuid[])",
    values: [ids, role],
  });
}

/** Returns whether groups of SCIM decide about a user's role, so that a sign-in does not. */
export async function hasGroupRole(db: Queryable, userId: string): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>({
    name: "scim_has_group_role",
    text: `select exists (select from scim_users s join organizations o on o.id = s.organization_id
      where s.user_id = $1 and s.deleted_at is null and o.admin_group is not null) as has`,
    values: [userId],
  });
  return rows[0]?.has ?? false;
}
