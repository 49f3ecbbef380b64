import { act, conflicts, get, HAS_QUERY, list, noun, type Operation, post, remove } from "./operation.ts";

/**
 * Options of the operations that are for an installation's operator alone. They apply to all organizations
 * and take an operator token, which is valid below this path alone.
 */
const OPERATOR = { base: "/api/v1/admin", credential: "operator", scope: "operator" } as const;

/** Options of the operations that an organization's admins have as well, for what belongs to it. */
const ADMIN = { base: "/api/v1/admin", credential: "admin" } as const;
const READ = { ...ADMIN, scope: "admin:read" } as const;
const WRITE = { ...ADMIN, scope: "admin:write" } as const;

const CONFIDENTIAL = { confidential: true } as const;

const ORGANIZATION_TAKEN = conflicts("An organization with this name exists.");
const LAST_ADMIN = "An admin asks, and the user is the only admin of the organization.";
const SECRET = "`token` of the response is the secret, which is returned only once.";
const USER_ERASED = conflicts("The user is being erased.");

const organization = "/organizations/{organization_id}";
const user = "/users/{user_id}";
const token = "/tokens/{token_id}";
const account = "/service_accounts/{service_account_id}";
const limits = "/limits/{owner_id}";
const retention = "/retention/{organization_id}";
const host = "/hosts/{host_id}";
const session = "/sessions/{session_id}";

/** The operations of `operations` under `/api/v1/admin`. */
export const adminOperations = {
  adminOrganizations: noun("adminOrganizations", {
    create: post("/organizations", "Create an organization", { ...OPERATOR, ...ORGANIZATION_TAKEN }),
    list: list("/organizations", "List organizations", READ),
    update: post(organization, "Rename an organization, or change its settings", {
      description: "Omitted fields keep their value.",
      ...WRITE,
      ...ORGANIZATION_TAKEN,
    }),
  }),
  adminUsers: noun("adminUsers", {
    create: post("/users", "Create a user, without a token", {
      ...WRITE,
      ...conflicts("A user with this email address exists, or the organization is being erased."),
    }),
    list: list("/users", "List users", READ),
    update: post(user, "Set a user's role", {
      description: "It takes effect with the next request.",
      ...WRITE,
      ...conflicts(LAST_ADMIN),
    }),
    disable: act(`${user}/disable`, "Disable a user, whose tokens are then rejected", {
      ...WRITE,
      ...conflicts(LAST_ADMIN),
    }),
    enable: act(`${user}/enable`, "Enable a user", { ...WRITE, ...USER_ERASED }),
  }),
  adminServiceAccounts: noun("adminServiceAccounts", {
    create: post("/service_accounts", "Create a service account, without a token", {
      ...WRITE,
      ...conflicts("The organization has a service account with this name, or is being erased."),
    }),
    list: list("/service_accounts", "List service accounts", READ),
    disable: act(`${account}/disable`, "Disable a service account, whose tokens are then rejected", WRITE),
    enable: act(`${account}/enable`, "Enable a service account", {
      ...WRITE,
      ...conflicts("The organization is being erased."),
    }),
  }),
  adminTokens: noun("adminTokens", {
    create: post("/tokens", "Create a token of a user or of a service account", {
      description: `${SECRET} That of an admin has no scope that the admin's token lacks, expires no later, and is revoked with it, unless it is independent.`,
      ...WRITE,
      ...CONFIDENTIAL,
      ...conflicts("The user or the service account is disabled."),
    }),
    list: list("/tokens", "List the tokens of users and service accounts", {
      description: "Sign-ins to the console are among them.",
      ...READ,
    }),
    delete: remove(token, "Revoke a token of any user or service account, and its descendants", {
      description: "Takes effect at once. Independent descendants are kept.",
      ...WRITE,
    }),
  }),
  adminOperatorTokens: noun("adminOperatorTokens", {
    create: post("/operator_tokens", "Create an operator token", {
      description: SECRET,
      ...OPERATOR,
      ...CONFIDENTIAL,
    }),
    list: list("/operator_tokens", "List operator tokens", OPERATOR),
    delete: remove(
      "/operator_tokens/{operator_token_id}",
      "Revoke an operator token and those that were created with it",
      OPERATOR,
    ),
  }),
  adminLimits: noun("adminLimits", {
    get: get(limits, "Get the limits of an organization or of a user, and how much is used", READ),
    update: post(limits, "Change the limits of an organization or of a user", {
      description: "An omitted limit is kept, null restores the setting, `none` removes the limit.",
      ...OPERATOR,
    }),
  }),
  adminRetention: noun("adminRetention", {
    get: get(
      retention,
      "Get the days after which an organization's sessions, events and files are deleted",
      READ,
    ),
    update: post(
      retention,
      "Change the days after which an organization's sessions, events and files are deleted",
      {
        description: "What is too old is deleted within an hour, and cannot be recovered.",
        ...WRITE,
      },
    ),
  }),
  adminErasures: noun("adminErasures", {
    create: post("/erasures", "Erase all data of a user or of an organization", {
      description:
        "Returns at once: running services carry it out. Only the operator can erase an organization.",
      ...WRITE,
      ...conflicts(LAST_ADMIN),
    }),
    list: list("/erasures", "List erasures", READ),
    get: get("/erasures/{erasure_id}", "Get the receipt of an erasure", READ),
  }),
  adminDeviceAuthorizations: noun("adminDeviceAuthorizations", {
    lookup: post("/device_authorizations/lookup", "Get a login by its user code", {
      ...OPERATOR,
      readOnly: true,
    }),
    approve: post(
      "/device_authorizations/approve",
      "Approve a login by its user code, with a token of a user",
      {
        ...OPERATOR,
        ...conflicts("The user is disabled."),
      },
    ),
    deny: post("/device_authorizations/deny", "Deny a login by its user code", OPERATOR),
  }),
  adminHosts: noun("adminHosts", {
    list: list("/hosts", "List the services that share the database", { ...OPERATOR, unpaginated: true }),
    drain: act(`${host}/drain`, "Drain a host: it takes no new sessions, and gives up its disks", {
      description: "What is on its disks and neither saved nor pushed is lost.",
      ...OPERATOR,
    }),
    resume: act(`${host}/resume`, "Stop draining a host", OPERATOR),
    forget: post(`${host}/forget`, "Give up the disks of a host that no longer exists", {
      description: "Removes the host. Its sessions continue elsewhere.",
      ...OPERATOR,
      ...conflicts("The host was seen just now, and `force` is not true."),
    }),
  }),
  adminSessions: noun("adminSessions", {
    release: act(`${session}/release`, "Release a session of any owner that is set aside", {
      ...OPERATOR,
      ...conflicts("The session is terminated."),
    }),
  }),
  adminAuditEntries: noun("adminAuditEntries", {
    list: list("/audit_entries", "List who changed what, and from where", {
      description: "Newest first.",
      ...READ,
    }),
    export: get("/audit_entries/export", "Export who changed what, and from where", {
      description:
        "Returns all entries that the filters select, newest first, as a file. In CSV, an apostrophe precedes text that a spreadsheet would take for a formula.",
      responseKind: "bytes",
      ...HAS_QUERY,
      ...READ,
    }),
  }),
} as const satisfies Record<string, Readonly<Record<string, Operation>>>;
