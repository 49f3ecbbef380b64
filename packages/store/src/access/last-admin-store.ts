import type { Queryable } from "../db/statement.ts";
import { errors } from "../errors/catalogue.ts";

/**
 * Checks that an organization keeps an enabled admin when a user is disabled, erased or made a member.
 * Locks the organization until the transaction ends, so that of two such changes the later one sees the
 * earlier. Call it before the user's row is locked. Ids are uuids.
 *
 * @throws errors.lastAdmin when the user is the only enabled admin.
 */
export async function checkNotLastAdmin(
  tx: Queryable,
  { userId, organizationId }: { userId: string; organizationId: string },
): Promise<void> {
  await tx.query({
    name: "lock_admins",
    text: "select from organizations where id = $1 for no key update",
    values: [organizationId],
  });
  const { rows } = await tx.query<{ ids: string[]; email: string | null }>({
    name: "enabled_admins",
    text: `select array(select id from users
        where organization_id = $1 and role = 'admin' and disabled_at is null order by id limit 2) as ids,
        (select email from users where id = $2) as email`,
    values: [organizationId, userId],
  });
  const [{ ids = [], email = null } = {}] = rows;
  if (ids.length === 1 && ids[0] === userId) throw errors.lastAdmin(email ?? userId);
}
