import type { Memory } from "@berth/sdk";
import { queryOptions } from "@tanstack/react-query";
import { berth } from "../client.ts";

const KEY = "memory stores";

export const memoryStoreQuery = (id: string) =>
  queryOptions({
    queryKey: [KEY, id],
    queryFn: ({ signal }) => berth.memoryStores.get(id, { signal }),
  });

/** Returns the query of all memories of a store, without their content. A store has at most 2,000. */
export const memoriesQuery = (storeId: string) =>
  queryOptions({
    queryKey: [KEY, storeId, "memories"],
    queryFn: async ({ signal }) => {
      const all: Memory[] = [];
      const list = berth.memoryStores.memories.list(storeId, { limit: 100 }, { signal });
      for await (const memory of list) all.push(memory);
      return all;
    },
  });

export const memoryQuery = (storeId: string, memoryId: string) =>
  queryOptions({
    queryKey: [KEY, storeId, "memories", memoryId],
    queryFn: ({ signal }) => berth.memoryStores.memories.get(storeId, memoryId, { signal }),
  });

export const memoryVersionQuery = (storeId: string, versionId: string) =>
  queryOptions({
    queryKey: [KEY, storeId, "versions", versionId],
    queryFn: ({ signal }) => berth.memoryStores.versions.get(storeId, versionId, { signal }),
  });
