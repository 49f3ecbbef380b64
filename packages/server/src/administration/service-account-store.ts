import { formatId, newUuid, uuidTimestamp } from "@berth/contract";
import { isUniqueViolation } from "../db/database-error.ts";
import type { Queryable } from "../db/statement.ts";
import { isBeingErased } from "../deletion/erasure-store.ts";
import { OperatorError } from "./as-operator.ts";
import { organizationId } from "./organization-store.ts";

/** A service account, the owner of `sat` tokens. Its name is unique in its organization. */
export interface ServiceAccount {
  id: string;
  name: string;
  organization: string;
  disabled_at: string | null;
  created_at: string;
}

type Row = Omit<ServiceAccount, "disabled_at" | "created_at"> & { disabled_at: Date | null };

/** All service accounts, or those of one organization, by name. */
export async function listServiceAccounts(db: Queryable, organization?: string): Promise<ServiceAccount[]> {
  const only = organization === undefined ? null : await organizationId(db, organization);
  const { rows } = await db.query<Row>({
    text: `select service_accounts.id, service_accounts.name, organizations.name as organization, disabled_at
      from service_accounts join organizations on organizations.id = organization_id
      where $1::uuid is null or organization_id = $1 order by service_accounts.name, organizations.name`,
    values: [only],
  });
  return rows.map(fromRow);
}

/** @throws OperatorError when the organization does not exist or already has a service account of this name. */
export async function createServiceAccount(
  db: Queryable,
  { name, organization }: Pick<ServiceAccount, "name" | "organization">,
): Promise<ServiceAccount> {
  const id = newUuid();
  const owner = await organizationId(db, organization);
  try {
    await db.query({
      text: "insert into service_accounts (id, organization_id, name) values ($1, $2, $3)",
      values: [id, owner, name],
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new OperatorError(`The organization already has a service account '${name}'.`);
  }
  return fromRow({ id, name, organization, disabled_at: null });
}

/**
 * The tokens of a disabled service account are rejected, and streams that were opened with them end within seconds.
 *
 * @throws OperatorError when there is no such service account, or to enable one whose organization is being erased.
 */
export async function setServiceAccountDisabled(
  db: Queryable,
  { name, organization }: Pick<ServiceAccount, "name" | "organization">,
  disabled: boolean,
): Promise<void> {
  const owner = await organizationId(db, organization);
  if (!disabled && (await isBeingErased(db, [owner])))
    throw new OperatorError(
      `The organization '${organization}' is being erased, and '${name}' cannot be enabled.`,
    );
  const { rowCount } = await db.query({
    text: `update service_accounts set updated_at = now(),
        disabled_at = case when $3 then coalesce(disabled_at, now()) end
      where organization_id = $1 and name = $2`,
    values: [owner, name, disabled],
  });
  if (rowCount === 0) throw new OperatorError(`The organization has no service account '${name}'.`);
}

function fromRow({ id, disabled_at, ...rest }: Row): ServiceAccount {
  return {
    id: formatId("service_account", id),
    ...rest,
    disabled_at: disabled_at?.toISOString() ?? null,
    created_at: uuidTimestamp(id),
  };
}
