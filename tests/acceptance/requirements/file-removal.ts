import type { Requirement } from "./requirement.ts";

export const fileRemoval: readonly Requirement[] = [
  {
    id: "resource-delete",
    source: "api 4",
    rule: "Deleting a file resource returns 200 and {id, type: session_resource_deleted}; afterwards it is in no list, the file itself remains, and the file can be added again immediately.",
  },
  {
    id: "resource-delete-sandbox",
    source: "api 4",
    rule: "A deleted file resource is removed from the sandbox: immediately, even during a command, in directories that the agent can write and below the uploads, and at the end of the turn elsewhere.",
  },
  {
    id: "resource-delete-refusals",
    source: "api 4",
    rule: "Only file resources can be deleted; another kind is rejected with 400, an archived session with 403, a terminated one with 409 conflict_error, and an unknown resource with 404.",
  },
];
