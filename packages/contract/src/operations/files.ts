import { get, post, remove } from "./operation.ts";

export const files = {
  upload: post("files.upload", "/files", "Upload a file", { body: "multipart" }),
  list: get("files.list", "/files", "List files", { answers: "page" }),
  get: get("files.get", "/files/{file_id}", "Get a file"),
  delete: remove("files.delete", "/files/{file_id}", "Delete a file", {
    conflicts: [
      {
        status: 409,
        type: "conflict_error",
        when: "A session that is neither archived nor terminated mounts the file.",
      },
    ],
  }),
  content: get("files.content", "/files/{file_id}/content", "Get a file's content", { answers: "bytes" }),
} as const;
