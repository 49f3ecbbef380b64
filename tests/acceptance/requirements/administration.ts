import type { Requirement } from "./requirement.ts";

const source = "issue 14";

/** Rules of administration by API: the operator's operations across all organizations. */
export const administrationRequirements: readonly Requirement[] = [
  {
    id: "admin-token",
    source,
    rule: "An operator token is created on the host, or with another operator token, with which it is then revoked and which it does not outlive. It is returned once, has a prefix of its own, and may expire; lists show its name, its last four characters and its last use.",
  },
  {
    id: "admin-token-apart",
    source,
    rule: "An operator token belongs to no organization and is accepted under /api/v1/admin alone: elsewhere it is 403. A token of an organization is 403 there, also with the scope * and of an admin, and the cookie of the console is not looked at.",
  },
  {
    id: "admin-token-revoked",
    source,
    rule: "From the response to its revocation on, an operator token is 401.",
  },
  {
    id: "admin-no-contents",
    source,
    rule: "With an operator token nothing is readable of what was said, written or uploaded in a session, nor any name, text or secret of an organization's objects: the names that it reads are those of organizations, users and service accounts.",
  },
  {
    id: "admin-members",
    source,
    rule: "Organizations can be created, listed and renamed; users and service accounts created, listed, disabled and enabled, and a user's role set. A name or address that is taken is 409, and what does not exist 404.",
  },
  {
    id: "admin-member-tokens",
    source,
    rule: "An operator can create a token of a user or of a service account, with scopes and an expiry; of one that is disabled it is 409.",
  },
  {
    id: "admin-limits",
    source,
    rule: "Limits of an organization or a user, and the days for which an organization keeps what is old, can be read and changed: an omitted value is kept, 'none' is without a limit, and null is what the settings say.",
  },
  {
    id: "admin-erasures",
    source,
    rule: "The data of a user or an organization can be erased, and the receipt read until it is complete. Whoever is being erased cannot be enabled, and nobody is added to an organization that is: 409.",
  },
  {
    id: "admin-logins",
    source,
    rule: "A device login can be looked up by its user code, approved for a user, or denied; an unknown code is 404.",
  },
  {
    id: "admin-hosts",
    source,
    rule: "The services of the database are listed with place, role, version, load, capacity, when they were last seen, whether they are drained, and the names, not the values, of settings that differ. One can be drained, that can be ended, and one that is gone forgotten; one that is there only with force, else 409.",
  },
  {
    id: "admin-audit",
    source,
    rule: "Each change with an operator token has one entry in the audit log with the token and the organization concerned, and the log can be read page by page, by organization, user, operation, resource and time.",
  },
  {
    id: "admin-conventions",
    source,
    rule: "Operations of the operator have the pages, cursors, idempotency keys, validation and errors of all others.",
  },
  {
    id: "admin-command",
    source,
    rule: "berth admin calls the service that the options and variables name, as other commands do, with an operator token; another token is refused with a sentence that says how to create the first one.",
  },
];
