import type { Requirement } from "./requirement.ts";

export const fileRemoval: readonly Requirement[] = [
  {
    id: "resource-delete",
    source: "api 4",
    rule: "A file resource is deleted with 200 and {id, type: session_resource_deleted}; it is in no list afterwards, the file itself stays, and it may be added again at once.",
  },
  {
    id: "resource-delete-sandbox",
    source: "api 4",
    rule: "A deleted file resource leaves the sandbox: an open one while a command runs where the agent can write and below the uploads, and with the turn's end elsewhere.",
  },
  {
    id: "resource-delete-refusals",
    source: "api 4",
    rule: "A resource that is no file is not deleted: 400. In an archived session the deletion is 403, in a terminated one 409 conflict_error, and what does not exist is 404.",
  },
];
