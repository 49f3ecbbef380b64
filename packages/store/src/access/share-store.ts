import type { IdKind, ShareAccess } from "@berth/contract";
import type { Queryable } from "../db/statement.ts";
import type { Owner } from "./principal.ts";

/** What a user may do with an object that somebody else owns. */
export interface UserShare {
  /** uuid of the user. */
  user_id: string;
  email: string;
  access: ShareAccess;
}

/** Returns what was shared with the user of any of the objects, at most; null for nothing. Ids are uuids. */
export async function accessOfUser(
  db: Queryable,
  userId: string,
  objectIds: readonly string[],
): Promise<ShareAccess | null> {
  const { rows } = await db.query<{ access: ShareAccess }>({
    name: "access_of_user",
    text: "select access from shares where user_id = $1 and object_id = any($2::uuid[]) order by access desc limit 1",
    values: [userId, objectIds],
  });
  return rows[0]?.access ?? null;
}

/** Returns which of the objects are shared with the user, with the access. Ids are uuids. */
export async function sharedWithUser(
  db: Queryable,
  userId: string,
  objectIds: readonly string[],
): Promise<Map<string, ShareAccess>> {
  const { rows } = await db.query<{ object_id: string; access: ShareAccess }>({
    name: "shared_with_user",
    text: "select object_id, access from shares where user_id = $1 and object_id = any($2::uuid[])",
    values: [userId, objectIds],
  });
  return new Map(rows.map((row) => [row.object_id, row.access]));
}

/** Returns with whom an object is shared, in order of the email address. */
export async function selectShares(db: Queryable, objectId: string): Promise<UserShare[]> {
  const { rows } = await db.query<UserShare>({
    name: "select_shares",
    text: `select user_id, email, access from shares join users on users.id = user_id
      where object_id = $1 order by email`,
    values: [objectId],
  });
  return rows;
}

/** Stores what a user may do with an object, in place of what was stored before. */
export async function putShare(
  tx: Queryable,
  share: { objectId: string; kind: string; userId: string; access: ShareAccess },
): Promise<void> {
  await tx.query({
    name: "put_share",
    text: `insert into shares (object_id, kind, user_id, access) values ($1, $2, $3, $4)
      on conflict (object_id, user_id) do update set access = excluded.access`,
    values: [share.objectId, share.kind, share.userId, share.access],
  });
}

export async function deleteShare(tx: Queryable, objectId: string, userId: string): Promise<void> {
  await tx.query({
    name: "delete_share",
    text: "delete from shares where object_id = $1 and user_id = $2",
    values: [objectId, userId],
  });
}

/** Returns the address of an owner who is a user; null for an organization. */
export async function ownerEmail(db: Queryable, { owner_id }: Owner): Promise<string | null> {
  const { rows } = await db.query<{ email: string }>({
    name: "owner_email",
    text: "select email from users where id = $1",
    values: [owner_id],
  });
  return rows[0]?.email ?? null;
}

/** SQL for whether the row's object is shared with a user, whose uuid is the parameter. */
export const SHARED_WITH = "exists (select from shares where object_id = id and user_id = ?)";

/**
 * Returns SQL for the rows of a table that are shared with users, in the order of `object_id` for each user
 * `shared_with`. The offset has each row looked up by its id, whatever else a list asks for.
 */
export function sharedRows(kind: IdKind, table: string): string {
  return `(select user_id as shared_with, object_id from shares where kind = '${kind}') as given
    cross join lateral (select * from ${table} where ${table}.id = object_id offset 0) as ${table}`;
}
