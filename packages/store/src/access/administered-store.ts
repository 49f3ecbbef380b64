import type { IdKind } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";

/** Statements that read the organization of an object, by its kind. */
const ORGANIZATION: Partial<Record<IdKind, string>> = {
  organization: "select id as organization_id from organizations where id = $1",
  user: "select organization_id from users where id = $1",
  service_account: "select organization_id from service_accounts where id = $1",
  token: "select organization_id from tokens where id = $1",
  erasure: "select organization_id from erasures where id = $1",
};

/** Returns the uuid of the organization to which an object of administration belongs, or null. */
export async function organizationOf(
  db: Queryable,
  { kind, uuid }: { kind: IdKind; uuid: string },
): Promise<string | null> {
  const text = ORGANIZATION[kind];
  if (text === undefined) throw new Error(`No statement reads the organization of a ${kind}.`);
  const { rows } = await db.query<{ organization_id: string }>({
    name: `organization_of_${kind}`,
    text,
    values: [uuid],
  });
  return rows[0]?.organization_id ?? null;
}
