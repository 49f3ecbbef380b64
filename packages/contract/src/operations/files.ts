import { get, post, put, remove } from "./operation.ts";

export const files = {
  upload: post("files.upload", "/files", "Upload a file, or announce one", {
    body: "multipart",
    conflicts: [
      {
        status: 409,
        type: "conflict_error",
        when: "The caller announces a file while 100 that it or others of its owner announced are pending.",
      },
    ],
  }),
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
  putContent: put("files.putContent", "/files/{file_id}/content", "Send an announced file's content", {
    conflicts: [
      {
        status: 409,
        type: "conflict_error",
        when: "The file is not pending, another request sends its content, or the part does not begin where the one before it ended; the message names that place.",
      },
    ],
  }),
  content: get("files.content", "/files/{file_id}/content", "Get a file's content", {
    answers: "bytes",
    conflicts: [{ status: 409, type: "conflict_error", when: "The file is not ready." }],
  }),
} as const;
