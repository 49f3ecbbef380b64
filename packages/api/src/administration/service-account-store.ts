import { formatId, newUuid, type ServiceAccount, uuidOrNil, uuidTimestamp } from "@berth/contract";
import { isBeingErased } from "@berth/store/access";
import { isUniqueViolation, type KeysetRange, type Queryable } from "@berth/store/db";
import { OperatorError } from "@berth/store/errors";
import { selectMembers } from "./member-store.ts";
import { growingOrganizationId } from "./organization-store.ts";

export type ServiceAccountRow = Omit<ServiceAccount, "type" | "disabled_at" | "created_at"> & {
  disabled_at: Date | null;
};

export interface ServiceAccountFilter {
  /** Organization's id. */
  organization_id?: string | undefined;
  name?: string | undefined;
}

const COLUMNS = `id, name, organization_id,
  (select name from organizations where organizations.id = service_accounts.organization_id) as organization, disabled_at`;

/** Selects service accounts, newest first. */
export async function selectServiceAccounts(
  db: Queryable,
  { organization_id: organization, name }: ServiceAccountFilter,
  range: KeysetRange,
): Promise<ServiceAccountRow[]> {
  const listing = { table: "service_accounts", columns: COLUMNS, key: "name" } as const;
  return await selectMembers<ServiceAccountRow>(db, range, listing, organization, name);
}

/** @throws OperatorError when the organization is missing or being erased, or has an account of this name. */
export async function createServiceAccount(
  tx: Queryable,
  { name, organization_id: organization }: Pick<ServiceAccount, "name" | "organization_id">,
): Promise<ServiceAccount> {
  const owner = await growingOrganizationId(tx, organization);
  try {
    const { rows } = await tx.query<ServiceAccountRow>({
      text: `insert into service_accounts (id, organization_id, name) values ($1, $2, $3) returning ${COLUMNS}`,
      values: [newUuid(), owner, name],
    });
    return stored(rows);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new OperatorError(`The organization already has a service account '${name}'.`);
  }
}

/**
 * Disables or enables a service account. Tokens of a disabled one are rejected, and streams that were opened
 * with them end within seconds.
 *
 * @throws OperatorError when there is no such service account, or when the organization of one to enable is
 * being erased.
 */
export async function setServiceAccountDisabled(
  tx: Queryable,
  given: string,
  disabled: boolean,
): Promise<ServiceAccount> {
  const { id, name, organization_id: owner, organization } = await requireServiceAccount(tx, given);
  if (!disabled && (await isBeingErased(tx, [owner])))
    throw new OperatorError(
      `The organization '${organization}' is being erased, so '${name}' cannot be enabled.`,
    );
  const { rows } = await tx.query<ServiceAccountRow>({
    text: `update service_accounts set updated_at = now(),
        disabled_at = case when $2 then coalesce(disabled_at, now()) end
      where id = $1 returning ${COLUMNS}`,
    values: [id, disabled],
  });
  return stored(rows);
}

/**
 * Returns a service account and locks it against being disabled or erased until the transaction ends.
 *
 * @throws OperatorError when there is none.
 */
export async function requireServiceAccount(tx: Queryable, given: string): Promise<ServiceAccountRow> {
  const { rows } = await tx.query<ServiceAccountRow>({
    text: `select ${COLUMNS} from service_accounts where id = $1 for no key update`,
    values: [uuidOrNil("service_account", given)],
  });
  if (rows[0] === undefined)
    throw new OperatorError(`Service account '${given}' does not exist.`, "not_found_error");
  return rows[0];
}

function stored([row]: ServiceAccountRow[]): ServiceAccount {
  if (row === undefined) throw new Error("The service account was not stored.");
  return toServiceAccount(row);
}

export function toServiceAccount(row: ServiceAccountRow): ServiceAccount {
  return {
    id: formatId("service_account", row.id),
    type: "service_account",
    name: row.name,
    organization_id: formatId("organization", row.organization_id),
    organization: row.organization,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    created_at: uuidTimestamp(row.id),
  };
}
