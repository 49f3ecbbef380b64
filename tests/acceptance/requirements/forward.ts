import type { Requirement } from "./requirement.ts";

export const forwardRequirements: readonly Requirement[] = [
  {
    id: "forward-register",
    source: "seed 4.7",
    rule: "Registering a skill, file, vault or environment returns its id and type, with 201 the first time and 200 afterwards.",
  },
  {
    id: "forward-body",
    source: "seed 4.7",
    rule: "A missing or unknown type, a missing resource.id and a malformed body are rejected with 400; other fields of resource are ignored.",
  },
  {
    id: "forward-exists",
    source: "seed 4.7",
    rule: "A resource that does not exist, or has another type than declared, is rejected with 404; one that the caller cannot access with 403.",
  },
  {
    id: "forward-key",
    source: "seed 4.7",
    rule: "A repeated Idempotency-Key returns the first response again, 201 included; with another body it is rejected with 409 conflict_error.",
  },
  {
    id: "forward-list",
    source: "seed 4.6",
    rule: "The list contains the caller's registrations of one type, newest first, each with owner_type user, the caller's usr_ id and the current object as resource_spec; it has no next_page and accepts no page.",
  },
  {
    id: "forward-query",
    source: "seed 4.6",
    rule: "A missing or unknown type, a limit out of range, and after_id together with before_id are rejected with 400.",
  },
  {
    id: "forward-skipped",
    source: "seed 4.6",
    rule: "Deleted, archived and inaccessible resources are omitted from the list, and paging by id continues past them.",
  },
  {
    id: "forward-pat",
    source: "seed 5, 7.2",
    rule: "Forward accepts only personal access tokens: a service account's token, and every invalid token, is rejected with 401 authentication_error and code authentication_required.",
  },
];
