import { formatId, type MemoryStore, uuidTimestamp } from "@berth/contract";
import { type OwnedRow, ownedFields, ownedList } from "../access/owned-rows.ts";
import { type Principal, SHARED_COLUMNS } from "../access/principal.ts";
import { requireAccess, requireAccessForUpdate } from "../access/require-access.ts";
import type { Queryable } from "../db/statement.ts";
import { errors } from "../errors/catalogue.ts";

export interface MemoryStoreRow extends OwnedRow {
  name: string;
  description: string | null;
  metadata: Record<string, string>;
}

export type NewMemoryStore = Omit<MemoryStoreRow, "archived_at" | "updated_at">;

const COLUMNS = `id, ${SHARED_COLUMNS}, name, description, metadata, archived_at, updated_at`;

export async function insertMemoryStore(db: Queryable, store: NewMemoryStore): Promise<MemoryStoreRow> {
  const createdAt = uuidTimestamp(store.id);
  await db.query({
    name: "insert_memory_store",
    text: `
      insert into memory_stores
        (id, organization_id, owner_type, owner_id, name, description, metadata, updated_at, organization_access)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      store.id,
      store.organization_id,
      store.owner_type,
      store.owner_id,
      store.name,
      store.description,
      store.metadata,
      createdAt,
      store.organization_access,
    ],
  });
  return { ...store, archived_at: null, updated_at: new Date(createdAt) };
}

export async function getMemoryStore(db: Queryable, id: string): Promise<MemoryStoreRow | null> {
  const text = `select ${COLUMNS} from memory_stores where id = $1`;
  return (await db.query<MemoryStoreRow>({ name: "get_memory_store", text, values: [id] })).rows[0] ?? null;
}

/** Reads the stores that exist, in no order. */
export async function getMemoryStores(db: Queryable, ids: readonly string[]): Promise<MemoryStoreRow[]> {
  const text = `select ${COLUMNS} from memory_stores where id = any($1::uuid[])`;
  return (await db.query<MemoryStoreRow>({ name: "get_memory_stores", text, values: [ids] })).rows;
}

/** Reads the stores that exist and prevents their deletion until the transaction ends. */
export async function lockMemoryStores(tx: Queryable, ids: readonly string[]): Promise<MemoryStoreRow[]> {
  const text = `select ${COLUMNS} from memory_stores where id = any($1::uuid[]) order by id for key share`;
  return (await tx.query<MemoryStoreRow>({ name: "lock_memory_stores", text, values: [ids] })).rows;
}

/**
 * Reads and locks the store, so that only this transaction can change its memories until it ends. Sessions
 * can still be created with it.
 */
export async function lockMemoryStore(tx: Queryable, id: string): Promise<MemoryStoreRow | null> {
  const text = `select ${COLUMNS} from memory_stores where id = $1 for no key update`;
  return (await tx.query<MemoryStoreRow>({ name: "lock_memory_store", text, values: [id] })).rows[0] ?? null;
}

/** Locks the store as `lockMemoryStore` does, so that also no session can be created with it. */
async function lockMemoryStoreForDelete(tx: Queryable, id: string): Promise<MemoryStoreRow | null> {
  const text = `select ${COLUMNS} from memory_stores where id = $1 for update`;
  return (
    (await tx.query<MemoryStoreRow>({ name: "lock_memory_store_for_delete", text, values: [id] })).rows[0] ??
    null
  );
}

/**
 * Reads a store that the principal can access.
 * @throws errors.notFound, errors.notYours
 */
export const requireMemoryStore = requireAccess("memory_store", getMemoryStore);

const requireMemoryStoreForUpdate = requireAccessForUpdate("memory_store", getMemoryStore, lockMemoryStore);

/**
 * Reads a store as `requireMemoryStore` does, and locks it to change it or its memories.
 * @throws errors.locked when it is archived.
 */
export async function requireMemoryStoreForWrite(
  tx: Queryable,
  principal: Principal,
  storeId: string,
): Promise<MemoryStoreRow> {
  const store = await requireMemoryStoreForUpdate(tx, principal, storeId);
  if (store.archived_at !== null) throw errors.locked("memory store", storeId);
  return store;
}

export const requireMemoryStoreForDelete = requireAccessForUpdate(
  "memory_store",
  getMemoryStore,
  lockMemoryStoreForDelete,
);

/** Stores the fields of a locked store that an update may change. */
export async function updateMemoryStoreRow(
  tx: Queryable,
  { id, name, description, metadata }: NewMemoryStore,
): Promise<void> {
  await tx.query({
    name: "store_memory_store",
    text: "update memory_stores set name = $2, description = $3, metadata = $4, updated_at = now() where id = $1",
    values: [id, name, description, metadata],
  });
}

/** Archives a store. Does nothing if it is archived already. */
export async function archiveMemoryStore(db: Queryable, id: string): Promise<void> {
  await db.query({
    name: "archive_memory_store",
    text: "update memory_stores set archived_at = now(), updated_at = now() where id = $1 and archived_at is null",
    values: [id],
  });
}

/**
 * Deletes a store that is locked for deletion, with its memories. Returns false, and deletes nothing, while
 * an active session mounts it.
 */
export async function deleteUnusedMemoryStore(tx: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: "delete_memory_store",
    text: `
      delete from memory_stores
      where id = $1 and not exists (
        select from session_resources join sessions on sessions.id = session_id
        where memory_store_id = $1 and terminated_at is null and archived_at is null)`,
    values: [id],
  });
  return rowCount === 1;
}

export const listMemoryStores = ownedList<MemoryStoreRow>("memory_store", "memory_stores", COLUMNS);

export function toMemoryStore(row: MemoryStoreRow): MemoryStore {
  return {
    id: formatId("memory_store", row.id),
    type: "memory_store",
    name: row.name,
    description: row.description,
    metadata: row.metadata,
    ...ownedFields(row),
  };
}
