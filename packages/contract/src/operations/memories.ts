import { get, post, remove } from "./operation.ts";

const list = "/memory_stores/{memory_store_id}/memories";
const one = `${list}/{memory_id}`;

const changed = {
  status: 409,
  type: "conflict_error",
  when: "The memory's content is not the one that was expected.",
} as const;
const pathTaken = "The path is one of another memory, below one, or a directory of one";

export const memories = {
  create: post("memories.create", list, "Create a memory", {
    conflicts: [
      { status: 409, type: "conflict_error", when: `${pathTaken}, or the store holds 2,000 memories.` },
    ],
  }),
  list: get("memories.list", list, "List a store's memories, without their content", { answers: "page" }),
  get: get("memories.get", one, "Get a memory"),
  update: post("memories.update", one, "Update a memory", {
    conflicts: [changed, { status: 409, type: "conflict_error", when: `${pathTaken}.` }],
  }),
  delete: remove("memories.delete", one, "Delete a memory", { conflicts: [changed] }),
} as const;
