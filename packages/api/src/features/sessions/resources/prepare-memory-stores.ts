import { MAX_SESSION_MEMORY_STORES } from "@berth/contract";
import { checkNotArchived, References } from "@berth/store/access";
import { errors } from "@berth/store/errors";
import { getMemoryStores, lockMemoryStores, type MemoryStoreRow } from "@berth/store/memories";
import type { Given, ResourcesOfType } from "./resources-of-type.ts";

const MOUNT_ROOT = "/mnt/memory";
const MAX_SLUG_LENGTH = 64;

/** @throws errors.invalid for the first store that is given twice or exceeds the limit. */
export function prepareMemoryStores(given: readonly Given<"memory_store">[]): ResourcesOfType {
  const stores = given.map(({ id: rowId, index, input }) => ({
    rowId,
    id: input.memory_store_id,
    input,
    param: `resources[${index}].memory_store_id`,
  }));
  for (const [at, { index, input }] of given.entries()) {
    const param = `resources[${index}].memory_store_id`;
    if (stores.findIndex(({ id }) => id === input.memory_store_id) < at)
      throw errors.invalid(`Memory store '${input.memory_store_id}' is given twice.`, param);
    if (at >= MAX_SESSION_MEMORY_STORES)
      throw errors.invalid(`A session has at most ${MAX_SESSION_MEMORY_STORES} memory stores.`, param);
  }
  const references = new References<(typeof stores)[number], MemoryStoreRow>("memory_store", stores, {
    read: getMemoryStores,
    lock: lockMemoryStores,
    checkState: ({ id }, row) => checkNotArchived("memory_store", id, row),
    needs: ({ input }) => (input.access === "read_only" ? "read" : "write"),
  });
  return {
    references,
    rows() {
      const paths = memoryMountPaths(references.pairs.map(({ row }) => row.name));
      return references.pairs.map(({ given: { rowId, input }, row }, at) => ({
        id: rowId,
        type: input.type,
        mount_path: paths[at] ?? "",
        memory_store_id: row.id,
        memory_access: input.access,
        memory_instructions: input.instructions ?? null,
        memory_name: row.name,
        memory_description: row.description,
      }));
    },
  };
}

/**
 * Returns the mount paths of a session's stores: `/mnt/memory/` and the name in lower-case ASCII letters,
 * digits and hyphens, with a number from 2 when an earlier store has the same path. Equal names give equal
 * paths.
 */
export function memoryMountPaths(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const slug = slugOf(name);
    let free = slug;
    for (let count = 2; taken.has(free); count++) free = `${slug}-${count}`;
    taken.add(free);
    return `${MOUNT_ROOT}/${free}`;
  });
}

function slugOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replaceAll(/^-|-$/g, "");
  return words === "" ? "store" : words;
}
