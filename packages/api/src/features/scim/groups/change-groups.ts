import { formatId, parseId } from "@berth/contract";
import { isBeingErased } from "@berth/store/access";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { GROUP } from "../protocol/attributes.ts";
import type { BoundFilter } from "../protocol/bind-filter.ts";
import { meets, type Resource } from "../protocol/evaluate-filter.ts";
import { type PatchOperation, readPatch } from "../protocol/patch-operations.ts";
import { readResource, readValue } from "../protocol/read-resource.ts";
import { ScimError } from "../protocol/scim-error.ts";
import { applyGroupRoles, lockOrganization } from "../roles/roles-store.ts";
import { provisionUsers } from "../users/user-store.ts";
import {
  addMembers,
  deleteGroup as deleteGroupRow,
  type GroupRow,
  getGroup,
  membersOf,
  notShown,
  putGroup,
  removeMembers,
} from "./group-store.ts";

interface GivenGroup {
  displayName: string;
  externalId?: string;
  members?: Resource[];
}

/** A changed group, and the uuids of the users whose role changed with it. */
export interface ChangedGroup {
  row: GroupRow;
  roles: string[];
}

/** @throws ScimError; errors.beingErased, errors.lastAdmin */
export async function createGroup(
  tx: Queryable,
  organizationId: string,
  body: unknown,
): Promise<ChangedGroup> {
  const given = readGroup(body);
  await lockOrganization(tx, organizationId);
  if (await isBeingErased(tx, [organizationId])) throw errors.beingErased();
  const id = await store(tx, organizationId, null, given);
  await add(tx, organizationId, id, idsOf(given.members ?? []));
  const roles = await applyGroupRoles(tx, organizationId, null);
  return { row: await requireStored(tx, organizationId, id), roles };
}

/** @throws ScimError; errors.notFound, errors.lastAdmin */
export async function replaceGroup(
  tx: Queryable,
  organizationId: string,
  id: string,
  body: unknown,
): Promise<ChangedGroup> {
  const given = readGroup(body);
  await lockOrganization(tx, organizationId);
  const row = await requireGroup(tx, organizationId, id);
  await store(tx, organizationId, row.id, given);
  await setMembers(tx, organizationId, row.id, idsOf(given.members ?? []));
  const roles = await applyGroupRoles(tx, organizationId, null);
  return { row: await requireStored(tx, organizationId, row.id), roles };
}

/**
 * Applies the operations in order. Members are added and removed without reading the others, so a change of a
 * large group costs what it changes.
 *
 * @throws ScimError; errors.notFound, errors.lastAdmin
 */
export async function patchGroup(
  tx: Queryable,
  organizationId: string,
  id: string,
  body: unknown,
): Promise<ChangedGroup> {
  const operations = readPatch(body, GROUP);
  await lockOrganization(tx, organizationId);
  const row = await requireGroup(tx, organizationId, id);
  const given: Partial<GivenGroup> = {
    displayName: row.display_name,
    ...(row.external_id !== null && { externalId: row.external_id }),
  };
  const changed: string[] = [];
  for (const operation of operations) {
    if (operation.attribute.name === "members")
      changed.push(...(await changeMembers(tx, organizationId, row.id, operation)));
    else setText(given, operation);
  }
  await store(tx, organizationId, row.id, readGroup(given));
  const isRenamed = given.displayName !== row.display_name;
  const roles = await applyGroupRoles(tx, organizationId, isRenamed ? null : changed);
  return { row: await requireStored(tx, organizationId, row.id), roles };
}

/** Deletes a group. Returns the uuids of the users whose role changed. @throws errors.notFound, errors.lastAdmin */
export async function deleteGroup(tx: Queryable, organizationId: string, id: string): Promise<string[]> {
  await lockOrganization(tx, organizationId);
  await deleteGroupRow(tx, (await requireGroup(tx, organizationId, id)).id);
  return await applyGroupRoles(tx, organizationId, null);
}

/** Returns a group of the organization. @throws errors.notFound */
export async function requireGroup(db: Queryable, organizationId: string, id: string): Promise<GroupRow> {
  const uuid = parseId("group", id);
  const row = uuid === null ? null : await getGroup(db, organizationId, uuid);
  if (row === null) throw errors.notFound("group", id);
  return row;
}

function readGroup(body: unknown): GivenGroup {
  return readResource(body, GROUP) as unknown as GivenGroup;
}

async function store(
  tx: Queryable,
  organizationId: string,
  id: string | null,
  { displayName, externalId }: GivenGroup,
): Promise<string> {
  const terms = { id, display_name: displayName, external_id: externalId ?? null };
  const stored = await putGroup(tx, organizationId, terms);
  if (stored === null) throw new ScimError("uniqueness", "Another group has this name.");
  return stored;
}

async function requireStored(tx: Queryable, organizationId: string, id: string): Promise<GroupRow> {
  const row = await getGroup(tx, organizationId, id);
  if (row === null) throw new Error("A group that was stored is missing.");
  return row;
}

function setText(given: Partial<GivenGroup>, { op, attribute, value }: PatchOperation): void {
  const name = attribute.name as "displayName" | "externalId";
  const read = op === "remove" ? undefined : (readValue(attribute, value) as string | undefined);
  if (read === undefined) delete given[name];
  else given[name] = read;
}

/** Returns the uuids of the users who came or went. */
async function changeMembers(
  tx: Queryable,
  organizationId: string,
  groupId: string,
  { op, attribute, filter, sub, value }: PatchOperation,
): Promise<string[]> {
  if (sub !== null && sub.name !== "value")
    throw new ScimError("mutability", "Of members, only the whole can be changed.");
  if (op === "remove") {
    if (filter !== null) return await removeMatches(tx, groupId, filter);
    const only = value == null ? null : knownIds(readValue(attribute, value));
    return await removeMembers(tx, groupId, { only });
  }
  if (filter !== null)
    throw new ScimError("invalidPath", "Members are added by 'members', without a filter.");
  const ids = idsOf((readValue(attribute, value) ?? []) as Resource[]);
  if (op === "add") return await add(tx, organizationId, groupId, ids);
  return await setMembers(tx, organizationId, groupId, ids);
}

async function setMembers(
  tx: Queryable,
  organizationId: string,
  groupId: string,
  ids: readonly string[],
): Promise<string[]> {
  const gone = await removeMembers(tx, groupId, { except: ids });
  return [...gone, ...(await add(tx, organizationId, groupId, ids))];
}

async function add(
  tx: Queryable,
  organizationId: string,
  groupId: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const [unknown] = await notShown(tx, organizationId, ids);
  if (unknown !== undefined) throw noMember(formatId("user", unknown));
  await provisionUsers(tx, organizationId, ids);
  return await addMembers(tx, groupId, ids);
}

/** Removes the members that meet a filter. `value eq "…"` is the usual one, for which no others are read. */
async function removeMatches(tx: Queryable, groupId: string, filter: BoundFilter): Promise<string[]> {
  if (filter.kind === "test" && filter.attribute.name === "value" && filter.test.operator === "eq") {
    const only = knownIds([{ value: filter.test.value }]);
    return await removeMembers(tx, groupId, { only });
  }
  const members = await membersOf(tx, [groupId]);
  const matches = members.filter(({ user_id, display }) =>
    meets({ value: formatId("user", user_id), type: "User", display }, filter),
  );
  return await removeMembers(tx, groupId, { only: matches.map(({ user_id }) => user_id) });
}

/** Returns the uuids of given members, each once. @throws ScimError invalidValue */
function idsOf(members: readonly Resource[]): string[] {
  const ids = members.map(({ value, type }) => {
    if (type !== undefined && `${type}`.toLowerCase() !== "user")
      throw new ScimError("invalidValue", "Only users can be members of a group.");
    const id = parseId("user", `${value}`);
    if (id === null) throw noMember(`${value}`);
    return id;
  });
  return [...new Set(ids)];
}

/** Returns the uuids of given members, without those that cannot be ids of users. */
function knownIds(members: unknown): string[] {
  if (!Array.isArray(members)) return [];
  return members.flatMap((member: Resource) => parseId("user", `${member.value}`) ?? []);
}

function noMember(id: string): ScimError {
  return new ScimError("invalidValue", `The member '${id.slice(0, 100)}' does not exist.`);
}
