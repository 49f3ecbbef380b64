import { formatId, parseId, type ShareAccess, type Shares } from "@berth/contract";
import {
  accessTo,
  deleteShare,
  ownerEmail,
  type Principal,
  putShare,
  type SharedRow,
  selectShares,
  visibilityOf,
} from "@berth/store/access";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { SharedKind } from "./shared-kinds.ts";
import {
  findMember,
  organizationName,
  setOrganizationAccess,
  takeVaultFromSessions,
} from "./sharing-store.ts";

/** The most users with whom one object is shared. */
const MAX_SHARES = 200;

/** Returns with whom an object is shared. @throws errors.notFound, errors.notYours */
export async function readShares(
  db: Queryable,
  principal: Principal,
  { read }: SharedKind,
  id: string,
): Promise<Shares> {
  return await toShares(db, principal, await read(db, principal, id));
}

/**
 * Shares an object with a user, or with the organization.
 * @param user id or email address; undefined for the organization.
 * @throws errors.notFound, errors.notYours, errors.notYoursToChange, errors.invalid
 */
export async function shareObject(
  db: DatabaseAccess,
  principal: Principal,
  shared: SharedKind,
  id: string,
  { user, access = "read" }: { user?: string | undefined; access?: ShareAccess | undefined },
): Promise<Shares> {
  return await change(db, principal, shared, id, async (tx, row) => {
    if (user !== undefined) {
      const userId = await requireMember(tx, row, user);
      if (userId === row.owner_id) throw errors.invalid(`'${user}' is its owner.`, "user");
      const others = (await selectShares(tx, row.id)).filter((share) => share.user_id !== userId);
      if (others.length >= MAX_SHARES)
        throw errors.invalid(`It is shared with ${MAX_SHARES} users already, the most possible.`, "user");
      return await putShare(tx, { objectId: row.id, kind: shared.kind, userId, access });
    }
    if (access === "write" && shared.organizationWrites !== true)
      throw errors.invalid(
        "The whole organization can have 'read' only. Name the users who may change it.",
        "access",
      );
    await setOrganizationAccess(tx, shared.table, row.id, access);
  });
}

/** Takes back what was shared with a user or the organization; what was not shared stays so. */
export async function unshareObject(
  db: DatabaseAccess,
  principal: Principal,
  shared: SharedKind,
  id: string,
  user: string | undefined,
): Promise<Shares> {
  return await change(db, principal, shared, id, async (tx, row) => {
    if (user === undefined) await setOrganizationAccess(tx, shared.table, row.id, null);
    else await deleteShare(tx, row.id, parseId("user", user) ?? (await requireMember(tx, row, user)));
    if (shared.kind === "vault") await takeVaultFromSessions(tx, row);
  });
}

async function change(
  db: DatabaseAccess,
  principal: Principal,
  { read, lock = read, kind }: SharedKind,
  id: string,
  apply: (tx: Queryable, row: SharedRow) => Promise<void>,
): Promise<Shares> {
  return await db.transaction(async (tx) => {
    const row = await lock(tx, principal, id);
    if (row.owner_type === "organization")
      throw errors.invalid("It belongs to the organization, so all its members have it already.");
    const { scope_session_id: session = null } = row;
    if (session !== null)
      throw errors.invalid(`The file is an output: share its session, '${formatId("session", session)}'.`);
    await apply(tx, row);
    return await toShares(
      tx,
      principal,
      await read(tx, { ...principal, needs: "own" }, formatId(kind, row.id)),
    );
  });
}

async function requireMember(db: Queryable, { organization_id }: SharedRow, user: string): Promise<string> {
  const found = await findMember(db, organization_id, { id: parseId("user", user), email: user });
  if (found === null) throw errors.invalid(`The organization has no active user '${user}'.`, "user");
  return found;
}

async function toShares(db: Queryable, principal: Principal, row: SharedRow): Promise<Shares> {
  const { organization_id, owner_type, owner_id, organization_access: ofAll } = row;
  const organization = {
    type: "organization" as const,
    id: formatId("organization", organization_id),
    name: await organizationName(db, organization_id),
  };
  const user = (id: string, name: string) => ({ type: "user" as const, id: formatId("user", id), name });
  const access = await accessTo(db, principal, row);
  const users = await selectShares(db, row.id);
  return {
    type: "shares",
    visibility: visibilityOf(row),
    owner: owner_type === "organization" ? organization : user(owner_id, (await ownerEmail(db, row)) ?? ""),
    your_access: access === "none" ? "read" : access,
    data: [
      ...(ofAll === null ? [] : [{ with: organization, access: ofAll }]),
      ...users.map((share) => ({ with: user(share.user_id, share.email), access: share.access })),
    ],
  };
}
