import { get, post, remove } from "./operation.ts";

const store = "/memory_stores/{memory_store_id}";

export const memoryStores = {
  create: post("memoryStores.create", "/memory_stores", "Create a memory store"),
  list: get("memoryStores.list", "/memory_stores", "List memory stores", { answers: "page" }),
  get: get("memoryStores.get", store, "Get a memory store"),
  update: post("memoryStores.update", store, "Update a memory store"),
  delete: remove("memoryStores.delete", store, "Delete a memory store and everything in it", {
    conflicts: [
      {
        status: 409,
        type: "conflict_error",
        when: "A session that is neither terminated nor archived mounts the store.",
      },
    ],
  }),
  archive: post("memoryStores.archive", `${store}/archive`, "Archive a memory store", { body: "none" }),
} as const;
