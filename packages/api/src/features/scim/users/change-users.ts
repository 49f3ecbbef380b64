import { parseId } from "@berth/contract";
import { checkNotLastAdmin, isBeingErased } from "@berth/store/access";
import { isUniqueViolation, type Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { applyPatch } from "../protocol/apply-patch.ts";
import { USER } from "../protocol/attributes.ts";
import { readPatch } from "../protocol/patch-operations.ts";
import { ScimError } from "../protocol/scim-error.ts";
import { applyGroupRoles, lockOrganization } from "../roles/roles-store.ts";
import { type GivenUser, givenAttributes, readUser } from "./user-resource.ts";
import {
  findTaken,
  getUser,
  hideScimUser,
  insertUser,
  putScimUser,
  setUser,
  type TakenNames,
  type UserRow,
} from "./user-store.ts";

/**
 * Creates a user. One that SCIM deleted, with the same address or else the same user name, is there again with
 * the former id, and enabled.
 *
 * @throws ScimError, uniqueness also for the address of another organization's user; errors.beingErased
 */
export async function createUser(tx: Queryable, organizationId: string, body: unknown): Promise<UserRow> {
  const given = readUser(body);
  await lockOrganization(tx, organizationId);
  const taken = await findTaken(tx, { organizationId, email: given.email, userName: given.user_name }, null);
  const former = formerUser(taken, organizationId);
  if (await isBeingErased(tx, former === null ? [organizationId] : [organizationId, former]))
    throw errors.beingErased();
  const id = former ?? (await unlessTaken(() => insertUser(tx, organizationId, given.email)));
  const active = given.active ?? true;
  await setUser(tx, { id, email: given.email, disabled: !active });
  await putScimUser(tx, organizationId, { ...given, id, active });
  await applyGroupRoles(tx, organizationId, [id]);
  return await requireUserRow(tx, organizationId, id);
}

/** @throws ScimError uniqueness when a user that is not deleted has the address or the user name. */
function formerUser({ email, userName, deletedUserName }: TakenNames, organizationId: string): string | null {
  if (userName !== null) throw taken("user name");
  if (email === null) return deletedUserName;
  if (email.organization_id !== organizationId || !email.deleted) throw taken("email address");
  return email.id;
}

/** @throws ScimError; errors.notFound, errors.lastAdmin, errors.beingErased */
export async function replaceUser(
  tx: Queryable,
  organizationId: string,
  id: string,
  body: unknown,
): Promise<UserRow> {
  const given = readUser(body);
  await lockOrganization(tx, organizationId);
  return await change(tx, organizationId, await requireUser(tx, organizationId, id), given);
}

/** @throws as `replaceUser` */
export async function patchUser(
  tx: Queryable,
  organizationId: string,
  id: string,
  body: unknown,
): Promise<UserRow> {
  const operations = readPatch(body, USER);
  await lockOrganization(tx, organizationId);
  const row = await requireUser(tx, organizationId, id);
  return await change(tx, organizationId, row, readUser(applyPatch(givenAttributes(row), operations)));
}

/** Disables a user, who is no resource of SCIM from then on. @throws errors.notFound, errors.lastAdmin */
export async function deleteUser(tx: Queryable, organizationId: string, id: string): Promise<void> {
  await lockOrganization(tx, organizationId);
  const row = await requireUser(tx, organizationId, id);
  await checkNotLastAdmin(tx, { userId: row.id, organizationId });
  await setUser(tx, { id: row.id, email: row.email, disabled: true });
  await hideScimUser(tx, organizationId, row);
  await applyGroupRoles(tx, organizationId, [row.id]);
}

/** Returns a user of the organization. @throws errors.notFound */
export async function requireUser(db: Queryable, organizationId: string, id: string): Promise<UserRow> {
  const uuid = parseId("user", id);
  const row = uuid === null ? null : await getUser(db, organizationId, uuid);
  if (row === null) throw errors.notFound("user", id);
  return row;
}

async function requireUserRow(tx: Queryable, organizationId: string, id: string): Promise<UserRow> {
  const row = await getUser(tx, organizationId, id);
  if (row === null) throw new Error("A user that was stored is missing.");
  return row;
}

async function change(
  tx: Queryable,
  organizationId: string,
  row: UserRow,
  given: GivenUser,
): Promise<UserRow> {
  const { id } = row;
  const names = { organizationId, email: given.email, userName: given.user_name };
  const { email, userName } = await findTaken(tx, names, id);
  if (userName !== null) throw taken("user name");
  if (email !== null) throw taken("email address");
  const disabled = disabledAfter(row, given);
  if (disabled === true) await checkNotLastAdmin(tx, { userId: id, organizationId });
  if (disabled === false && row.disabled && (await isBeingErased(tx, [id, organizationId])))
    throw errors.beingErased();
  await unlessTaken(() => setUser(tx, { id, email: given.email, disabled }));
  await putScimUser(tx, organizationId, { ...given, id, active: given.active ?? row.active });
  await applyGroupRoles(tx, organizationId, [id]);
  return await requireUserRow(tx, organizationId, id);
}

/**
 * Returns whether the user is disabled after a change; null leaves that as it is. The identity provider enables
 * only whom it disabled: it repeats `active: true` with each change, and an administrator's decision to
 * disable somebody must survive that.
 */
function disabledAfter(row: UserRow, given: GivenUser): boolean | null {
  if (given.active === null) return null;
  if (!given.active) return true;
  return row.active ? null : false;
}

async function unlessTaken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw taken("email address");
    throw error;
  }
}

function taken(what: string): ScimError {
  return new ScimError("uniqueness", `Another user has this ${what}.`);
}
