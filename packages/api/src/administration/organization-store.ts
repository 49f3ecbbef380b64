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
import type { SecretBox } from "@berth/store/secrets";
import { addSigningKey, deleteSigningKey } from "@berth/store/signing";
import { applyGroupRoles } from "../features/scim/roles/roles-store.ts";

export type OrganizationRow = Pick<
  Organization,
  "id" | "name" | "default_visibility" | "admin_group" | "signing_key" | "users" | "service_accounts"
>;

const COLUMNS = `id, name, default_visibility, admin_group,
  (select public_key from signing_keys where organization_id = organizations.id) as signing_key,
  (select count(*)::integer from users where organization_id = organizations.id) as users,
  (select count(*)::integer from service_accounts where organization_id = organizations.id) as service_accounts`;

/** Selects organizations, newest first. */
export async function selectOrganizations(
  db: Queryable,
  { name, organization_id: id }: { name?: string | undefined; organization_id?: string | undefined },
  range: KeysetRange,
): Promise<OrganizationRow[]> {
  const conditions: Condition[] = [];
  if (name !== undefined)
    conditions.push(condition("id = (select id from organizations where name = ?)", name));
  if (id !== undefined) conditions.push(condition("id = ?", uuidOrNil("organization", id)));
  return await selectKeyset<OrganizationRow>(
    db,
    range,
    { table: "organizations", columns: COLUMNS, conditions },
    null,
  );
}

interface Change extends Terms {
  commit_signing?: boolean | undefined;
}

type Terms = {
  [Field in "name" | "default_visibility" | "admin_group"]?: OrganizationRow[Field] | undefined;
};

/** @throws OperatorError when the name is taken. */
export async function createOrganization(
  db: Queryable,
  { name, default_visibility = "private", admin_group = null }: Terms & { name: string },
): Promise<Organization> {
  const id = newUuid();
  await unlessTaken(name, () =>
    db.query({
      text: "insert into organizations (id, name, default_visibility, admin_group) values ($1, $2, $3, $4)",
      values: [id, name, default_visibility, admin_group],
    }),
  );
  const counts = { signing_key: null, users: 0, service_accounts: 0 };
  return toOrganization({ id, name, default_visibility, admin_group, ...counts });
}

/**
 * Changes the fields that are given. A change of `admin_group` changes the roles of those in its groups.
 * @throws OperatorError when there is no such organization, or the new name is taken; errors.lastAdmin
 */
export async function updateOrganization(
  db: Queryable,
  given: string,
  { name, default_visibility, admin_group, commit_signing: isSigning }: Change,
  secrets: SecretBox,
): Promise<Organization> {
  const id = await organizationId(db, given);
  if (isSigning === true) await addSigningKey(db, secrets, id);
  if (isSigning === false) await deleteSigningKey(db, id);
  const { rows } = await unlessTaken(name ?? "", () =>
    db.query<OrganizationRow>({
      text: `update organizations set name = coalesce($2, name), default_visibility = coalesce($3, default_visibility),
          admin_group = case when $4 then $5 else admin_group end, updated_at = now()
        where id = $1 returning ${COLUMNS}`,
      values: [id, name, default_visibility, admin_group !== undefined, admin_group],
    }),
  );
  if (rows[0] === undefined) throw noOrganization(given);
  if (admin_group !== undefined) await applyGroupRoles(db, id, null);
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
