import { formatId, newUuid, type Organization, uuidOrNil, uuidTimestamp } from "@berth/contract";
import { isBeingErased } from "@berth/store/access";
import {
  type Condition,
  condition,
  isUniqueViolation,
  type KeysetRange,
  type Queryable,
  selectKeyset,
} from "@berth/store/db";
import { OperatorError } from "@berth/store/errors";

export type OrganizationRow = Pick<Organization, "id" | "name" | "users" | "service_accounts">;

const COLUMNS = `id, name,
  (select count(*)::integer from users where organization_id = organizations.id) as users,
  (select count(*)::integer from service_accounts where organization_id = organizations.id) as service_accounts`;

/** Selects organizations, newest first. */
export async function selectOrganizations(
  db: Queryable,
  { name }: { name?: string | undefined },
  range: KeysetRange,
): Promise<OrganizationRow[]> {
  const conditions: Condition[] =
    name === undefined ? [] : [condition("id = (select id from organizations where name = ?)", name)];
  return await selectKeyset<OrganizationRow>(
    db,
    range,
    { table: "organizations", columns: COLUMNS, conditions },
    null,
  );
}

/** @throws OperatorError when the name is taken. */
export async function createOrganization(db: Queryable, name: string): Promise<Organization> {
  const id = newUuid();
  await unlessTaken(name, () =>
    db.query({ text: "insert into organizations (id, name) values ($1, $2)", values: [id, name] }),
  );
  return toOrganization({ id, name, users: 0, service_accounts: 0 });
}

/** @throws OperatorError when there is no such organization, or `newName` is taken. */
export async function renameOrganization(
  db: Queryable,
  given: string,
  newName: string,
): Promise<Organization> {
  const id = await organizationId(db, given);
  const { rows } = await unlessTaken(newName, () =>
    db.query<OrganizationRow>({
      text: `update organizations set name = $2, updated_at = now() where id = $1 returning ${COLUMNS}`,
      values: [id, newName],
    }),
  );
  if (rows[0] === undefined) throw noOrganization(given);
  return toOrganization(rows[0]);
}

/** Returns the uuid of an organization. @throws OperatorError when none has this id. */
export async function organizationId(db: Queryable, given: string): Promise<string> {
  return await findOrganization(db, given, "");
}

/** Returns the same as `organizationId`, and locks the organization until the transaction ends. */
export async function heldOrganizationId(tx: Queryable, given: string): Promise<string> {
  return await findOrganization(tx, given, "for share");
}

/**
 * Returns the same as `heldOrganizationId`, for a transaction that adds to the organization. An erasure
 * requested afterwards covers what was added.
 *
 * @throws OperatorError also while the organization is being erased.
 */
export async function growingOrganizationId(tx: Queryable, given: string): Promise<string> {
  const id = await heldOrganizationId(tx, given);
  if (await isBeingErased(tx, [id]))
    throw new OperatorError(`The organization '${given}' is being erased, so nobody can be added to it.`);
  return id;
}

async function findOrganization(db: Queryable, given: string, lock: "" | "for share"): Promise<string> {
  const { rows } = await db.query<{ id: string }>({
    text: `select id from organizations where id = $1 ${lock}`,
    values: [uuidOrNil("organization", given)],
  });
  if (rows[0] === undefined) throw noOrganization(given);
  return rows[0].id;
}

function noOrganization(given: string): OperatorError {
  return new OperatorError(`Organization '${given}' does not exist.`, "not_found_error");
}

async function unlessTaken<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new OperatorError(`The organization '${name}' already exists.`);
    throw error;
  }
}

export function toOrganization({ id, ...rest }: OrganizationRow): Organization {
  return { id: formatId("organization", id), type: "organization", ...rest, created_at: uuidTimestamp(id) };
}
