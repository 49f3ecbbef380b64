import type { Requirement } from "./requirement.ts";

export const forwardRequirements: readonly Requirement[] = [
  {
    id: "forward-register",
    source: "seed 4.7",
    rule: "Registering a skill, file, vault or environment answers its id and type, with 201 the first time and 200 after that.",
  },
  {
    id: "forward-body",
    source: "seed 4.7",
    rule: "A missing or unknown type, a missing resource.id and a malformed body are 400; of resource only id is read.",
  },
  {
    id: "forward-exists",
    source: "seed 4.7",
    rule: "A resource that does not exist, or is of another type than declared, is 404; one that the caller does not reach is 403.",
  },
  {
    id: "forward-key",
    source: "seed 4.7",
    rule: "An Idempotency-Key answers the first registration again, 201 included; with another body it is 409 conflict_error.",
  },
  {
    id: "forward-list",
    source: "seed 4.6",
    rule: "The list holds what the caller registered of one type, newest first, each with owner_type user, the caller's usr_ id and the live object as resource_spec; it has no next_page and takes no page.",
  },
  {
    id: "forward-query",
    source: "seed 4.6",
    rule: "A missing or unknown type, a limit out of range, and after_id with before_id are 400.",
  },
  {
    id: "forward-skipped",
    source: "seed 4.6",
    rule: "What is deleted, archived or out of reach is left out of the list, and paging by id goes on past it.",
  },
  {
    id: "forward-pat",
    source: "seed 5, 7.2",
    rule: "Forward takes personal access tokens alone: a service account's, and every bad token, is 401 authentication_error with code authentication_required.",
  },
];
