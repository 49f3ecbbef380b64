import type { Requirement } from "./requirement.ts";

const source = "issue 30";

/** Rules of SCIM 2.0, by which an identity provider manages the users of one organization. */
export const scimRequirements: readonly Requirement[] = [
  {
    id: "scim-token",
    source,
    rule: "A token with the scope scim belongs to a service account of one organization, is created by administration alone and shown once. It is good for SCIM and nothing else, and no other token is good for SCIM. A revoked one, or one of a disabled account, is 401 from the next request on.",
  },
  {
    id: "scim-rfc",
    source,
    rule: "Users and groups are created, read, listed, filtered, replaced, patched and deleted below /scim/v2 as RFC 7643 and RFC 7644 say, with their media type, errors and statuses; ServiceProviderConfig, ResourceTypes and Schemas say what is supported.",
  },
  {
    id: "scim-okta",
    source,
    rule: "The requests that Okta documents for an application with SCIM 2.0 have the effects that it expects.",
  },
  {
    id: "scim-entra",
    source,
    rule: "The requests that Microsoft documents for Entra ID have the effects that it expects, in their present form and in the one before aadOptscim062020.",
  },
  {
    id: "scim-disable",
    source,
    rule: "A user whom the identity provider deactivates or deletes is disabled: tokens and sign-ins are rejected from the next request on. A deleted one is 404 to SCIM until it is created again, with the same id.",
  },
  {
    id: "scim-roles",
    source,
    rule: "While an organization has an admin group, the users whom its identity provider manages are admins if they are in the group of that name, else members, whatever a sign-in with OpenID Connect says. The last enabled admin cannot be lost: 409.",
  },
  {
    id: "scim-tenancy",
    source,
    rule: "SCIM shows and changes nothing of another organization: its ids are 404, and an address that a user of it has is 409 in the same words as one of the own organization.",
  },
  {
    id: "scim-audit",
    source,
    rule: "Each change by SCIM has one entry in the audit log, with the service account and its name, the token, and what was changed.",
  },
];
