import { MAX_SESSION_MEMORY_STORES, uuidOrNil } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import { reaches } from "../../http/principal.ts";
import {
  getMemoryStores,
  holdMemoryStores,
  type MemoryStoreRow,
} from "../memory-stores/memory-store-store.ts";
import { memoryMountPaths } from "./memory-mount-paths.ts";
import type { Given, PreparedResources } from "./prepared.ts";

/** @throws errors.invalid at the first that is there twice, or that is one too many. */
export function prepareMemoryStores(given: readonly Given<"memory_store">[]): PreparedResources {
  const stores = given.map((one) => ({
    ...one,
    uuid: uuidOrNil("memory_store", one.input.memory_store_id),
  }));
  const uuids = stores.map(({ uuid }) => uuid);
  for (const [at, { index, input }] of stores.entries()) {
    const param = `resources[${index}].memory_store_id`;
    if (stores.findIndex((one) => one.input.memory_store_id === input.memory_store_id) < at)
      throw errors.invalid(`Memory store '${input.memory_store_id}' is given twice.`, param);
    if (at >= MAX_SESSION_MEMORY_STORES)
      throw errors.invalid(`A session has at most ${MAX_SESSION_MEMORY_STORES} memory stores.`, param);
  }
  let rows: MemoryStoreRow[] = [];

  /** In the order in which they were given. */
  function expectAll(found: readonly MemoryStoreRow[]): MemoryStoreRow[] {
    return stores.map(({ uuid, input }) => {
      const row = found.find(({ id }) => id === uuid);
      if (row === undefined) throw errors.notFound("memory store", input.memory_store_id);
      return row;
    });
  }

  function checkState(): void {
    const archived = rows.findIndex((row) => row.archived_at !== null);
    if (archived >= 0) throw errors.archived("memory store", stores[archived]?.input.memory_store_id ?? "");
  }

  return {
    async find(db) {
      if (stores.length > 0) rows = expectAll(await getMemoryStores(db, uuids));
    },
    reach(principal) {
      for (const [at, row] of rows.entries()) {
        if (!reaches(principal, row))
          throw errors.notYours("memory store", stores[at]?.input.memory_store_id ?? "");
      }
    },
    checkState,
    ...(stores.length === 0
      ? {}
      : {
          async hold(tx) {
            rows = expectAll(await holdMemoryStores(tx, uuids));
            checkState();
          },
        }),
    rows() {
      const places = memoryMountPaths(rows.map(({ name }) => name));
      return stores.map(({ id, uuid, input: { type, access, instructions } }, at) => ({
        id,
        type,
        mount_path: places[at] ?? "",
        memory_store_id: uuid,
        memory_access: access,
        memory_instructions: instructions ?? null,
        memory_name: rows[at]?.name ?? "",
        memory_description: rows[at]?.description ?? null,
      }));
    },
  };
}
