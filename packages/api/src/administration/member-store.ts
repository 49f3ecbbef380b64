import { uuidOrNil } from "@berth/contract";
import { condition, type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

interface MemberListing {
  table: "users" | "service_accounts";
  columns: string;
  /** The column that a member is found by. */
  key: "email" | "name";
}

/**
 * Selects users or service accounts, newest first.
 *
 * @param organization id of their organization; undefined for all.
 * @param named the value of `key` that they have; undefined for any.
 */
export async function selectMembers<Row extends object>(
  db: Queryable,
  range: KeysetRange,
  { table, columns, key }: MemberListing,
  organization: string | undefined,
  named: string | undefined,
): Promise<Row[]> {
  const owner = organization === undefined ? null : uuidOrNil("organization", organization);
  if (named === undefined) {
    const branches = owner === null ? null : [{ column: "organization_id", value: owner }];
    return await selectKeyset<Row>(db, range, { table, columns }, branches);
  }
  const isNamed = condition(
    `id = any(array(select id from ${table} where ${key} = ? and (?::uuid is null or organization_id = ?)))`,
    named,
    owner,
    owner,
  );
  return await selectKeyset<Row>(db, range, { table, columns, conditions: [isNamed] }, null);
}
