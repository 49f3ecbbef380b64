import type { Queryable } from "@berth/store/db";

export interface PrincipalName {
  type: "user" | "service_account";
  /** uuid. */
  id: string;
  /** Email of the user, or name of the service account. */
  name: string;
}

/** Those of the uuids that are of users and service accounts of the organization, disabled ones too. */
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
