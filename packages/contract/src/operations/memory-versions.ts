import { get, post } from "./operation.ts";

const list = "/memory_stores/{memory_store_id}/memory_versions";
const one = `${list}/{memory_version_id}`;

export const memoryVersions = {
  list: get("memoryVersions.list", list, "List the changes of a store's memories", { answers: "page" }),
  get: get("memoryVersions.get", one, "Get a memory version"),
  redact: post("memoryVersions.redact", `${one}/redact`, "Remove what a memory version holds", {
    body: "none",
    conflicts: [
      { status: 409, type: "conflict_error", when: "The version is the newest of a memory that is there." },
    ],
  }),
} as const;
