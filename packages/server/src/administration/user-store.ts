import { formatId, newUuid, uuidTimestamp } from "@berth/contract";
import { isUniqueViolation } from "../db/database-error.ts";
import type { Queryable } from "../db/statement.ts";
import { isBeingErased } from "../deletion/erasure-store.ts";
import { OperatorError } from "./as-operator.ts";
import { organizationId } from "./organization-store.ts";

export interface User {
  id: string;
  email: string;
  organization: string;
  role: "member" | "admin";
  disabled_at: string | null;
  created_at: string;
}

interface FoundUser {
  id: string;
  organization_id: string;
  disabled: boolean;
}

type Row = Omit<User, "disabled_at" | "created_at"> & { disabled_at: Date | null };

/** All users, or those of one organization, by email. */
export async function listUsers(db: Queryable, organization?: string): Promise<User[]> {
  const only = organization === undefined ? null : await organizationId(db, organization);
  const { rows } = await db.query<Row>({
    text: `select users.id, email, organizations.name as organization, role, disabled_at
      from users join organizations on organizations.id = organization_id
      where $1::uuid is null or organization_id = $1 order by email`,
    values: [only],
  });
  return rows.map(fromRow);
}

/** @throws OperatorError when the organization does not exist or the email is taken. */
export async function createUser(
  db: Queryable,
  { email, organization, role }: Pick<User, "email" | "organization" | "role">,
): Promise<User> {
  const id = newUuid();
  const owner = await organizationId(db, organization);
  try {
    await db.query({
      text: "insert into users (id, organization_id, email, role) values ($1, $2, $3, $4)",
      values: [id, owner, email, role],
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new OperatorError(`The user '${email}' already exists.`);
    throw error;
  }
  return fromRow({ id, email, organization, role, disabled_at: null });
}

/** The uuids of a user and of the organization. @throws OperatorError when there is no such user. */
export async function userId(db: Queryable, email: string): Promise<FoundUser> {
  const { rows } = await db.query<FoundUser>({
    text: "select id, organization_id, disabled_at is not null as disabled from users where email = $1",
    values: [email],
  });
  if (rows[0] === undefined) throw noUser(email);
  return rows[0];
}

/** As `userId`. @throws OperatorError also when the user is disabled. */
export async function enabledUser(db: Queryable, email: string): Promise<FoundUser> {
  const user = await userId(db, email);
  if (user.disabled) throw new OperatorError(`The user '${email}' is disabled.`);
  return user;
}

/** Takes effect from the user's next request. */
export async function setRole(db: Queryable, email: string, role: User["role"]): Promise<void> {
  await change(db, email, "role = $2", role);
}

/**
 * The tokens of a disabled user are rejected, and streams that were opened with them end within seconds.
 *
 * @throws OperatorError when there is no such user, or to enable one whose data is being erased.
 */
export async function setUserDisabled(db: Queryable, email: string, disabled: boolean): Promise<void> {
  const { id, organization_id: organizationId } = await userId(db, email);
  if (!disabled && (await isBeingErased(db, [id, organizationId])))
    throw new OperatorError(`The user '${email}' is being erased, and cannot be enabled.`);
  await change(db, email, "disabled_at = case when $2 then coalesce(disabled_at, now()) end", disabled);
}

async function change(db: Queryable, email: string, set: string, value: unknown): Promise<void> {
  const { rowCount } = await db.query({
    text: `update users set ${set}, updated_at = now() where email = $1`,
    values: [email, value],
  });
  if (rowCount === 0) throw noUser(email);
}

function noUser(email: string): OperatorError {
  return new OperatorError(`There is no user '${email}'.`);
}

function fromRow({ id, disabled_at, ...rest }: Row): User {
  return {
    id: formatId("user", id),
    ...rest,
    disabled_at: disabled_at?.toISOString() ?? null,
    created_at: uuidTimestamp(id),
  };
}
