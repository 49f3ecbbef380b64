import { createHmac } from "node:crypto";
import type { Queryable } from "../db/statement.ts";
import { derivedKey } from "./secret-box.ts";

/** The installation's key and, until all secrets are resealed, the key that it replaces. */
export interface DatabaseKeys {
  active: Uint8Array;
  former: Uint8Array | null;
}

/**
 * Checks that a database is used with its own secret key, the one with which the first service started on it.
 * With another key, that service's secrets would not open. Cursors and stored responses of one service would
 * also be errors at the other.
 * @throws an error of one sentence for the operator.
 */
export async function requireDatabaseKey(db: Queryable, { active, former }: DatabaseKeys): Promise<void> {
  const identity = await readIdentity(db);
  const keys = former === null ? [active] : [active, former];
  if (identity.key_fingerprint !== null) {
    const stored = identity.key_fingerprint;
    if (keys.some((key) => fingerprintOf(key, identity.id).equals(stored))) return;
    throw new Error(OTHER_KEY);
  }
  await recordDatabaseKey(db, active, { replace: false });
  await requireDatabaseKey(db, { active, former });
}

const OTHER_KEY =
  "This database belongs to another secret key: give this service the key that the other services have, with BERTH_SECRET_KEY_FILE or as secret.key in its data directory.";

/** Records the database's key; without `replace` only if none is recorded. */
export async function recordDatabaseKey(
  db: Queryable,
  key: Uint8Array,
  { replace }: { replace: boolean },
): Promise<void> {
  const { id } = await readIdentity(db);
  await db.query({
    name: "record_database_key",
    text: "update database_identity set key_fingerprint = $1 where $2 or key_fingerprint is null",
    values: [fingerprintOf(key, id), replace],
  });
}

async function readIdentity(db: Queryable): Promise<{ id: string; key_fingerprint: Buffer | null }> {
  const { rows } = await db.query<{ id: string; key_fingerprint: Buffer | null }>({
    name: "database_key",
    text: "select id, key_fingerprint from database_identity",
  });
  if (rows[0] === undefined) throw new Error("The database's table database_identity has no row.");
  return rows[0];
}

function fingerprintOf(secretKey: Uint8Array, databaseId: string): Buffer {
  return createHmac("sha256", derivedKey(secretKey, "database")).update(databaseId).digest();
}
