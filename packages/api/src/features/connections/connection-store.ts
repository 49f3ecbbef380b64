import { type Connection, type ConnectionAuth, formatId, uuidTimestamp } from "@berth/contract";
import {
  type Owner,
  ownerBranches,
  type Principal,
  requireAccess,
  requireMayChange,
} from "@berth/store/access";
import { type KeysetRange, type Queryable, selectKeyset } from "@berth/store/db";

export interface ConnectionRow extends Owner {
  id: string;
  display_name: string;
  url: string;
  api_url: string | null;
  auth: ConnectionAuth;
  /** Sealed; see `SecretBox`. */
  secret: Buffer;
  metadata: Record<string, string>;
  updated_at: Date;
}

const COLUMNS =
  "id, organization_id, owner_type, owner_id, display_name, url, api_url, auth, secret, metadata, updated_at";

export async function insertConnection(
  db: Queryable,
  connection: Omit<ConnectionRow, "updated_at">,
): Promise<ConnectionRow> {
  const updatedAt = uuidTimestamp(connection.id);
  await db.query({
    name: "insert_connection",
    text: `insert into connections (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      connection.id,
      connection.organization_id,
      connection.owner_type,
      connection.owner_id,
      connection.display_name,
      connection.url,
      connection.api_url,
      JSON.stringify(connection.auth),
      connection.secret,
      connection.metadata,
      updatedAt,
    ],
  });
  return { ...connection, updated_at: new Date(updatedAt) };
}

/** Returns the connections that exist, in no particular order. */
export async function getConnections(db: Queryable, ids: readonly string[]): Promise<ConnectionRow[]> {
  const text = `select ${COLUMNS} from connections where id = any($1::uuid[])`;
  return (await db.query<ConnectionRow>({ name: "get_connections", text, values: [ids] })).rows;
}

/** Returns the same as `getConnections`, and prevents deletion until the transaction ends. */
export async function lockConnections(tx: Queryable, ids: readonly string[]): Promise<ConnectionRow[]> {
  const text = `select ${COLUMNS} from connections where id = any($1::uuid[]) order by id for share`;
  return (await tx.query<ConnectionRow>({ name: "lock_connections", text, values: [ids] })).rows;
}

async function getConnection(db: Queryable, id: string): Promise<ConnectionRow | null> {
  return (await getConnections(db, [id]))[0] ?? null;
}

/** Locks a connection until the transaction ends. Waits for sessions being created. */
async function lockConnection(tx: Queryable, id: string): Promise<ConnectionRow | null> {
  const text = `select ${COLUMNS} from connections where id = $1 for update`;
  return (await tx.query<ConnectionRow>({ name: "lock_connection", text, values: [id] })).rows[0] ?? null;
}

/** @throws errors.notFound, errors.notYours */
export const requireConnection = requireAccess("connection", getConnection);

/**
 * Returns the same as `requireConnection` for whoever may change or delete the connection, and locks it until
 * the transaction ends.
 *
 * @throws errors.adminsOnly for one of the organization, by a user who is no admin
 */
export const requireConnectionForUpdate = requireMayChange(
  "connection",
  getConnection,
  lockConnection,
  "change a connection that all its members use",
);

/** Stores the fields of a locked connection that an update may change. */
export async function updateConnectionRow(tx: Queryable, connection: ConnectionRow): Promise<ConnectionRow> {
  const { rows } = await tx.query<ConnectionRow>({
    name: "store_connection",
    text: `update connections set display_name = $2, metadata = $3, secret = $4, updated_at = now() where id = $1
      returning ${COLUMNS}`,
    values: [connection.id, connection.display_name, connection.metadata, connection.secret],
  });
  const [row] = rows;
  if (row === undefined) throw new Error("A connection is missing although its row is locked.");
  return row;
}

/**
 * Makes the tokens of a connection's repositories due, since its secret is another one. Clones that failed are
 * tried again.
 */
export async function renewTokens(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: "renew_tokens",
    text: `
      with renewed as (
        update session_resources set token_renew_at = case when secret is not null then now() end,
          revision = revision + 1, failed_inputs = null, attempts = 0, failing_since = null, retry_at = null
        from sessions
        where connection_id = $1 and sessions.id = session_id
          and sessions.archived_at is null and terminated_at is null and deleted_at is null
        returning session_id, ready_at
      )
      update sessions set pending_at = coalesce(pending_at, now())
      where id in (select session_id from renewed where ready_at is null)`,
    values: [id],
  });
}

/**
 * Deletes a locked connection. Returns false while an active session uses it, or a token that it made is to be
 * revoked.
 */
export async function deleteUnusedConnection(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "delete_connection",
    text: `
      delete from connections where id = $1
        and not exists (
          select from session_resources join sessions on sessions.id = session_id
          where connection_id = $1 and terminated_at is null and archived_at is null and deleted_at is null
        )
        and not exists (select from session_tokens where connection_id = $1)`,
    values: [id],
  });
  return rowCount === 1;
}

export async function listConnections(
  db: Queryable,
  principal: Principal,
  range: KeysetRange,
): Promise<ConnectionRow[]> {
  const listing = { table: "connections", columns: COLUMNS };
  return await selectKeyset<ConnectionRow>(db, range, listing, ownerBranches(principal));
}

/**
 * Returns a connection without its secret.
 *
 * @param hosts of hosted repositories, with the port if it is not 443
 */
export function toConnection(row: ConnectionRow, hosts: ReadonlySet<string>): Connection {
  return {
    id: formatId("connection", row.id),
    type: "connection",
    display_name: row.display_name,
    url: row.url,
    api_url: row.api_url,
    auth: row.auth,
    hosted: hosts.has(new URL(row.url).host),
    metadata: row.metadata,
    owner_type: row.owner_type,
    owner_id: formatId(row.owner_type, row.owner_id),
    created_at: uuidTimestamp(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}
