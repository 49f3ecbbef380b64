import type { Queryable } from "@berth/store/db";

export interface PrincipalName {
  type: "user" | "service_account";
  /** Uuid. */
  id: string;
  /** User's email address, or service account's name. */
  name: string;
}

/** Returns the users and service accounts of the organization among the uuids, including disabled ones. */
export async function principalNames(
  db: Queryable,
  organizationId: string,
  uuids: readonly string[],
): Promise<PrincipalName[]> {
  const { rows } = await db.query<PrincipalName>({
    name: "principal_names",
    text: `
      select 'user' as type, id, email as name from users where id = any($2::uuid[]) and organization_id = $1
      union all
      select 'service_account' as type, id, name from service_accounts where id = any($2::uuid[]) and organization_id = $1
      order by id`,
    values: [organizationId, uuids],
  });
  return rows;
}
