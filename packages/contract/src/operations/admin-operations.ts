import { act, conflicts, get, list, noun, type Operation, post, remove } from "./operation.ts";

/**
 * Defaults of the operations of an installation's operator. They apply to all organizations and take an
 * operator token, which is valid for nothing else.
 */
const ADMIN = { base: "/api/v1/admin", credential: "operator", scope: "operator" } as const;
const CONFIDENTIAL = { ...ADMIN, confidential: true } as const;

const ORGANIZATION_TAKEN = conflicts("An organization with this name exists.");
const OR_OF_ONE = "With `organization_id`, those of one.";
const SECRET = "`token` of the response is the secret, which is returned only once.";
const USER_ERASED = conflicts("The user is being erased.");

const organization = "/organizations/{organization_id}";
const user = "/users/{user_id}";
const account = "/service_accounts/{service_account_id}";
const limits = "/limits/{owner_id}";
const retention = "/retention/{organization_id}";
const host = "/hosts/{host_id}";
const session = "/sessions/{session_id}";

/** The operations of `operations` under `/api/v1/admin`. */
export const adminOperations = {
  adminOrganizations: noun("adminOrganizations", {
    create: post("/organizations", "Create an organization", { ...ADMIN, ...ORGANIZATION_TAKEN }),
    list: list("/organizations", "List all organizations", ADMIN),
    update: post(organization, "Rename an organization", { ...ADMIN, ...ORGANIZATION_TAKEN }),
  }),
  adminUsers: noun("adminUsers", {
    create: post("/users", "Create a user, without a token", {
      ...ADMIN,
      ...conflicts("A user with this email address exists, or the organization is being erased."),
    }),
    list: list("/users", "List the users of all organizations", {
      description: OR_OF_ONE,
      ...ADMIN,
    }),
    update: post(user, "Set a user's role", {
      description: "It takes effect with the next request.",
      ...ADMIN,
    }),
    disable: act(`${user}/disable`, "Disable a user, whose tokens are then rejected", ADMIN),
    enable: act(`${user}/enable`, "Enable a user", { ...ADMIN, ...USER_ERASED }),
  }),
  adminServiceAccounts: noun("adminServiceAccounts", {
    create: post("/service_accounts", "Create a service account, without a token", {
      ...ADMIN,
      ...conflicts("The organization has a service account with this name, or is being erased."),
    }),
    list: list("/service_accounts", "List the service accounts of all organizations", {
      description: OR_OF_ONE,
      ...ADMIN,
    }),
    disable: act(`${account}/disable`, "Disable a service account, whose tokens are then rejected", ADMIN),
    enable: act(`${account}/enable`, "Enable a service account", {
      ...ADMIN,
      ...conflicts("The organization is being erased."),
    }),
  }),
  adminTokens: noun("adminTokens", {
    create: post("/tokens", "Create a token of a user or of a service account", {
      description: SECRET,
      ...CONFIDENTIAL,
      ...conflicts("The user or the service account is disabled."),
    }),
  }),
  adminOperatorTokens: noun("adminOperatorTokens", {
    create: post("/operator_tokens", "Create an operator token", {
      description: SECRET,
      ...CONFIDENTIAL,
    }),
    list: list("/operator_tokens", "List operator tokens", ADMIN),
    delete: remove(
      "/operator_tokens/{operator_token_id}",
      "Revoke an operator token and those that were created with it",
      ADMIN,
    ),
  }),
  adminLimits: noun("adminLimits", {
    get: get(limits, "Get the limits of an organization or of a user, and how much is used", ADMIN),
    update: post(limits, "Change the limits of an organization or of a user", {
      description: "An omitted limit is kept, null restores the setting, `none` removes the limit.",
      ...ADMIN,
    }),
  }),
  adminRetention: noun("adminRetention", {
    get: get(
      retention,
      "Get the days after which an organization's sessions, events and files are deleted",
      ADMIN,
    ),
    update: post(
      retention,
      "Change the days after which an organization's sessions, events and files are deleted",
      {
        description: "What is too old is deleted within an hour, and cannot be recovered.",
        ...ADMIN,
      },
    ),
  }),
  adminErasures: noun("adminErasures", {
    create: post("/erasures", "Erase all data of a user or of an organization", {
      description: "Returns at once: running services carry it out.",
      ...ADMIN,
    }),
    list: list("/erasures", "List erasures", ADMIN),
    get: get("/erasures/{erasure_id}", "Get the receipt of an erasure", ADMIN),
  }),
  adminDeviceAuthorizations: noun("adminDeviceAuthorizations", {
    lookup: post("/device_authorizations/lookup", "Get a login by its user code", {
      ...ADMIN,
      readOnly: true,
    }),
    approve: post(
      "/device_authorizations/approve",
      "Approve a login by its user code, with a token of a user",
      {
        ...ADMIN,
        ...conflicts("The user is disabled."),
      },
    ),
    deny: post("/device_authorizations/deny", "Deny a login by its user code", ADMIN),
  }),
  adminHosts: noun("adminHosts", {
    list: list("/hosts", "List the services that share the database", { ...ADMIN, unpaginated: true }),
    drain: act(`${host}/drain`, "Drain a host: it takes no new sessions, and gives up its disks", {
      description: "What is on its disks and neither saved nor pushed is lost.",
      ...ADMIN,
    }),
    resume: act(`${host}/resume`, "Stop draining a host", ADMIN),
    forget: post(`${host}/forget`, "Give up the disks of a host that no longer exists", {
      description: "Removes the host. Its sessions continue elsewhere.",
      ...ADMIN,
      ...conflicts("The host was seen just now, and `force` is not true."),
    }),
  }),
  adminSessions: noun("adminSessions", {
    release: act(`${session}/release`, "Release a session of any owner that is set aside", {
      ...ADMIN,
      ...conflicts("The session is terminated."),
    }),
  }),
  adminAuditEntries: noun("adminAuditEntries", {
    list: list("/audit_entries", "List who changed what, and from where", {
      description: "Newest first.",
      ...ADMIN,
    }),
  }),
} as const satisfies Record<string, Readonly<Record<string, Operation>>>;
