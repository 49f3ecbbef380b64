import type { Requirement } from "./requirement.ts";

const source = "issue 14";
const ADMINS = "issue 30";

/** Rules of administration by API: an operator's of all organizations, and an admin's of their own. */
export const administrationRequirements: readonly Requirement[] = [
  {
    id: "admin-token",
    source,
    rule: "An operator token is created on the host, or with another operator token, with which it is then revoked and which it does not outlive. It is returned once, has a prefix of its own, and may expire; lists show its name, its last four characters and its last use.",
  },
  {
    id: "admin-token-apart",
    source,
    rule: "An operator token belongs to no organization and is accepted under /api/v1/admin alone: elsewhere it is 403. It is no cookie of the console. Of the tokens of an organization, those of its admins are accepted there, for what belongs to the organization.",
  },
  {
    id: "admin-token-revoked",
    source,
    rule: "From the response to its revocation on, an operator token is 401.",
  },
  {
    id: "admin-no-contents",
    source,
    rule: "With an operator token nothing is readable of what was said, written or uploaded in a session, nor any name, text or secret of an organization's objects: the names that it reads are those of organizations, users, service accounts and their tokens.",
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
    rule: "berth admin calls the service that the options and variables name, as other commands do, with an operator token, or the token of an admin, for their own organization unless another is named; the service refuses others.",
  },
  {
    id: "organization-admin",
    source: ADMINS,
    rule: "An organization's admin, with the scopes admin:read and admin:write, reads and changes its users, service accounts, tokens, name, default visibility and retention, reads its limits, audit log and receipts, and erases users.",
  },
  {
    id: "organization-admin-bounds",
    source: ADMINS,
    rule: "Of another organization an admin reads and changes nothing: 403, or an empty list. Hosts, limits, operator tokens, logins of others, new organizations and the erasure of one are the operator's: 403 with one sentence.",
  },
  {
    id: "organization-admin-rights",
    source: ADMINS,
    rule: "Administration by a member, a service account or a token without the scope is 403, from the next request on also by whoever is no longer an admin. A token that an admin creates has no scope that the admin's token lacks, expires no later and is revoked with it, unless one with the scope * makes it independent.",
  },
  {
    id: "organization-admin-last",
    source: ADMINS,
    rule: "The only enabled admin of an organization cannot be disabled, made a member or erased by an admin: 409 with one sentence, and nothing has changed. Of two admins who make each other members at once, one stays. The operator can.",
  },
  {
    id: "organization-admin-audit",
    source: ADMINS,
    rule: "What an admin changes is in the audit log with the admin, the token and the address. An admin reads the organization's log by user, service account, operation, object and time, and exports it as JSON lines or as CSV, in which no text is a formula.",
  },
];
