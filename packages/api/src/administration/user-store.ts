import { formatId, newUuid, type User, uuidOrNil, uuidTimestamp } from "@berth/contract";
import { type Administrator, checkNotLastAdmin, isBeingErased } from "@berth/store/access";
import { isUniqueViolation, type KeysetRange, type Queryable } from "@berth/store/db";
import { OperatorError } from "@berth/store/errors";
import { selectMembers } from "./member-store.ts";
import { growingOrganizationId } from "./organization-store.ts";

interface FoundUser {
  id: string;
  organization_id: string;
  disabled: boolean;
}

export type UserRow = Omit<User, "type" | "disabled_at" | "created_at"> & { disabled_at: Date | null };

export interface UserFilter {
  /** Organization's id. */
  organization_id?: string | undefined;
  email?: string | undefined;
}

const COLUMNS = `id, email, organization_id,
  (select name from organizations where organizations.id = users.organization_id) as organization, role, disabled_at`;

/** Selects users, newest first. */
export async function selectUsers(
  db: Queryable,
  { organization_id: organization, email }: UserFilter,
  range: KeysetRange,
): Promise<UserRow[]> {
  const listing = { table: "users", columns: COLUMNS, key: "email" } as const;
  return await selectMembers<UserRow>(db, range, listing, organization, email);
}

/** @throws OperatorError when the organization is missing or being erased, or the email is taken. */
export async function createUser(
  tx: Queryable,
  { email, organization_id: organization, role }: Pick<User, "email" | "organization_id" | "role">,
): Promise<User> {
  const owner = await growingOrganizationId(tx, organization);
  try {
    const { rows } = await tx.query<UserRow>({
      text: `insert into users (id, organization_id, email, role) values ($1, $2, $3, $4) returning ${COLUMNS}`,
      values: [newUuid(), owner, email, role],
    });
    return stored(rows, email);
  } catch (error) {
    if (isUniqueViolation(error)) throw new OperatorError(`The user '${email}' already exists.`);
    throw error;
  }
}

/** Returns the uuids of a user and of the user's organization. @throws OperatorError when none has this id. */
export async function userId(db: Queryable, given: string): Promise<FoundUser> {
  return await findUser(db, given, "");
}

/** Returns the same as `userId`, and locks the user until the transaction ends. */
export async function heldUser(tx: Queryable, given: string): Promise<FoundUser> {
  return await findUser(tx, given, "for no key update");
}

async function findUser(db: Queryable, given: string, lock: "" | "for no key update"): Promise<FoundUser> {
  const { rows } = await db.query<FoundUser>({
    text: `select id, organization_id, disabled_at is not null as disabled
      from users where id = $1 ${lock}`,
    values: [uuidOrNil("user", given)],
  });
  if (rows[0] === undefined) throw noUser(given);
  return rows[0];
}

/** Returns the same as `heldUser`. @throws OperatorError also when the user is disabled. */
export async function enabledUser(tx: Queryable, given: string): Promise<FoundUser> {
  const user = await heldUser(tx, given);
  if (user.disabled) throw new OperatorError(`The user '${given}' is disabled.`);
  return user;
}

/**
 * Checks that an administrator may disable or erase a user, or make them a member. The operator always may,
 * and can make another admin.
 *
 * @throws OperatorError when there is no such user; errors.lastAdmin
 */
export async function checkMayLose(tx: Queryable, administrator: Administrator, user: string): Promise<void> {
  if (administrator.kind === "operator") return;
  const { id, organization_id: organizationId } = await userId(tx, user);
  await checkNotLastAdmin(tx, { userId: id, organizationId });
}

/** Changes a user's role, which takes effect from the user's next request on. */
export async function setRole(db: Queryable, user: string, role: User["role"]): Promise<User> {
  return await change(db, user, "role = $2", role);
}

/**
 * Disables or enables a user. Tokens of a disabled user are rejected, and streams that were opened with them
 * end within seconds.
 *
 * @throws OperatorError when there is no such user, or when the user to enable is being erased.
 */
export async function setUserDisabled(tx: Queryable, user: string, disabled: boolean): Promise<User> {
  const { id, organization_id: organization } = await heldUser(tx, user);
  if (!disabled && (await isBeingErased(tx, [id, organization])))
    throw new OperatorError(`The user '${user}' is being erased, so it cannot be enabled.`);
  return await change(tx, user, "disabled_at = case when $2 then coalesce(disabled_at, now()) end", disabled);
}

async function change(db: Queryable, user: string, set: string, value: unknown): Promise<User> {
  const { id } = await userId(db, user);
  const { rows } = await db.query<UserRow>({
    text: `update users set ${set}, updated_at = now() where id = $1 returning ${COLUMNS}`,
    values: [id, value],
  });
  return stored(rows, user);
}

function stored([row]: UserRow[], given: string): User {
  if (row === undefined) throw noUser(given);
  return toUser(row);
}

function noUser(given: string): OperatorError {
  return new OperatorError(`User '${given}' does not exist.`, "not_found_error");
}

export function toUser({ id, email, organization_id, organization, role, disabled_at }: UserRow): User {
  return {
    id: formatId("user", id),
    type: "user",
    email,
    organization_id: formatId("organization", organization_id),
    organization,
    role,
    disabled_at: disabled_at?.toISOString() ?? null,
    created_at: uuidTimestamp(id),
  };
}
