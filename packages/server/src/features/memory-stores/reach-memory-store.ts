import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { reached } from "../../http/reached.ts";
import {
  claimMemoryStore,
  getMemoryStore,
  lockMemoryStore,
  type MemoryStoreRow,
} from "./memory-store-store.ts";

/** A memory store that the caller reaches. @throws errors.notFound, errors.notYours */
export async function reachMemoryStore(
  db: Queryable,
  principal: Principal,
  storeId: string,
): Promise<MemoryStoreRow> {
  return await reached(principal, "memory_store", storeId, (id) => getMemoryStore(db, id));
}

/** As `reachMemoryStore`, to change it or its memories until the transaction ends. @throws errors.locked when it is archived */
export async function reachToWrite(
  tx: Queryable,
  principal: Principal,
  storeId: string,
): Promise<MemoryStoreRow> {
  // Whose it is is looked at before the lock, so that nobody else's requests can hold up the owner's.
  const { id } = await reachMemoryStore(tx, principal, storeId);
  const store = await reached(principal, "memory_store", storeId, () => lockMemoryStore(tx, id));
  if (store.archived_at !== null) throw errors.locked("memory store", storeId);
  return store;
}

/** As `reachMemoryStore`, to delete it. */
export async function reachAndClaim(
  tx: Queryable,
  principal: Principal,
  storeId: string,
): Promise<MemoryStoreRow> {
  const { id } = await reachMemoryStore(tx, principal, storeId);
  return await reached(principal, "memory_store", storeId, () => claimMemoryStore(tx, id));
}
