import { adminOperations } from "./admin-operations.ts";
import {
  act,
  conflicts,
  crud,
  FOR_WRITERS,
  get,
  HAS_QUERY,
  isAdministration,
  isPlain,
  list,
  noun,
  type Operation,
  post,
  put,
  remove,
  sharing,
} from "./operation.ts";

const SESSION_TERMINATED = "The session is terminated.";
const AGENT_VERSION_STALE = "`version` is not the newest version of the agent.";
const ENVIRONMENT_NAME_TAKEN = "The owner has an environment with this name.";
const MEMORY_CHANGED = "The content does not have the hash that the request expects.";
const MEMORY_PATH_TAKEN = "Another memory has this path, or one path is a directory of the other";
const SKILL_USERS =
  "an agent that is not archived uses it, or a session that is not terminated was created with it";

const DEPLOYMENT_UNUSABLE = "The agent, the environment or a vault is archived, or a file is not ready.";

const NO_DISK =
  "The session has no disk: it has not run a command yet, it has ended, or its disk was reclaimed after inactivity.";

const HOST_FAILED = "The host does not answer, or rejects the connection; the message says why.";

const DRY_RUN = { dryRun: true } as const;

const KEPT = "Omitted fields keep their value.";
const SECRET = "`token` of the response is the secret, which is returned only once.";
const ANY_TOKEN = "Accepts any valid token.";
const ARCHIVED = "Cannot be undone. It stays readable, but takes no changes or new sessions.";

const session = "/sessions/{session_id}";
const resources = `${session}/resources`;
const previews = `${session}/previews`;
const rules = `${session}/confirmation_rules`;
const store = "/memory_stores/{memory_store_id}";
const memory = `${store}/memories/{memory_id}`;
const memoryVersions = `${store}/memory_versions`;
const skill = "/skills/{skill_id}";
const skillVersion = `${skill}/versions/{version}`;
const credentials = "/vaults/{vault_id}/credentials";
const connection = "/connections/{connection_id}";
const webhook = "/webhooks/{webhook_id}";
const deployment = "/deployments/{deployment_id}";

const CONFIDENTIAL = { confidential: true } as const;

/** Options for a mark that only the caller sees, so whoever may read the object may set it. Service accounts have none. */
const OWN_MARK = { scope: "sessions:read", credential: "pat", readOnly: true, ...CONFIDENTIAL } as const;

/** Options for a login that a user approves elsewhere, which needs the scope for creating a token. */
const DEVICE_SCOPE = { scope: "tokens:write" } as const;
const OPEN = { credential: "none", scope: null, ...CONFIDENTIAL } as const;

/** The options of the registry, which has its own prefix and only accepts users' tokens. */
const forward = { base: "/api/v1/forward", credential: "pat" } as const;

/**
 * Every operation as plain data, in the order of the documentation. At run time this table imports only its
 * helpers, so that a client does not load the schemas.
 */
export const operations = {
  tokens: noun("tokens", {
    create: post("/tokens", "Create a token", { description: SECRET, ...CONFIDENTIAL }),
    list: list("/tokens", "List tokens"),
    current: get("/tokens/current", "Get the token of the request, and its owner", {
      description: ANY_TOKEN,
      scope: null,
    }),
    delete: remove("/tokens/{token_id}", "Revoke a token and its descendants", {
      description: "Takes effect at once. Independent descendants are kept.",
      ownToken: true,
    }),
  }),
  deviceAuthorizations: noun("deviceAuthorizations", {
    create: post("/device_authorizations", "Request a token that a user approves elsewhere", {
      description: "Needs no token.",
      ...OPEN,
    }),
    lookup: post("/device_authorizations/lookup", "Get a login by its user code", {
      ...DEVICE_SCOPE,
      readOnly: true,
    }),
    approve: post("/device_authorizations/approve", "Approve a login by its user code", {
      description: "The token belongs to the user who approves it.",
      ...DEVICE_SCOPE,
    }),
    deny: post("/device_authorizations/deny", "Deny a login by its user code", DEVICE_SCOPE),
  }),
  deviceTokens: noun("deviceTokens", {
    create: post("/device_tokens", "Get the requested token, once it is approved", {
      description:
        "Needs no token. Checks once, and returns the token only once. `error.code` says what to do: ask again for `authorization_pending`, and five seconds slower for `slow_down`.",
      ...OPEN,
      ...conflicts("Nobody has approved or denied the login yet: `error.code` is `authorization_pending`."),
    }),
  }),
  whoami: noun("whoami", {
    get: get("/whoami", "Get the caller and their permissions", {
      description: ANY_TOKEN,
      scope: null,
    }),
  }),
  principals: noun("principals", {
    get: get("/principals", "Get the names of users and service accounts", {
      description: `Those of the organization, by id. ${ANY_TOKEN}`,
      scope: null,
      ...HAS_QUERY,
    }),
  }),
  consoleLinks: noun("consoleLinks", {
    create: act("/console_links", "Create a link that signs in to the console once", {
      description: "It signs in as the token's user, within 60 seconds.",
      scope: null,
      credential: "pat",
      ...CONFIDENTIAL,
    }),
  }),
  agents: noun("agents", {
    ...crud("/agents/{agent_id}", "an agent", {
      create: DRY_RUN,
      get: { description: "Returns the newest version, or the `version` of the query.", ...HAS_QUERY },
      update: {
        description:
          "Creates the next version, if the request changes something. `version` must be the newest, so that no concurrent update is lost. Omitted fields keep their value, null clears a field, and lists are replaced as a whole.",
        ...DRY_RUN,
        ...FOR_WRITERS,
        ...conflicts(AGENT_VERSION_STALE),
      },
      delete: conflicts("A session was created with the agent."),
    }),
    ...sharing("/agents/{agent_id}", "an agent"),
    archive: act("/agents/{agent_id}/archive", "Archive an agent", { description: ARCHIVED }),
    versions: list("/agents/{agent_id}/versions", "List an agent's versions", {
      description: "Newest first.",
    }),
  }),
  models: noun("models", {
    list: list("/models", "List the models that agents can use", {
      unpaginated: true,
      scope: "agents:read",
    }),
  }),
  runtimes: noun("runtimes", {
    list: list("/runtimes", "List the runtimes that environments can choose", {
      unpaginated: true,
      scope: "environments:read",
    }),
  }),
  environments: noun("environments", {
    ...crud("/environments/{environment_id}", "an environment", {
      all: CONFIDENTIAL,
      create: { ...DRY_RUN, ...conflicts(ENVIRONMENT_NAME_TAKEN) },
      update: {
        description:
          "Omitted fields keep their value, at every depth; null restores the default; hosts and variables are replaced as a whole. In a session, variables and credentials change with the next command, networking with the next turn, and the rest when its sandbox is next opened.",
        ...DRY_RUN,
        ...FOR_WRITERS,
        ...conflicts(ENVIRONMENT_NAME_TAKEN),
      },
      delete: conflicts("A session that is not terminated uses the environment."),
    }),
    ...sharing("/environments/{environment_id}", "an environment"),
    archive: act("/environments/{environment_id}/archive", "Archive an environment", {
      description: ARCHIVED,
      ...CONFIDENTIAL,
    }),
  }),
  sessions: noun("sessions", {
    ...crud(session, "a session", {
      all: CONFIDENTIAL,
      create: {
        description: "Returns at once: repositories are cloned in the background.",
        features: ["outcomes"],
        ...conflicts("The agent or the environment is archived, or a file is not ready."),
      },
      update: {
        description: `${KEPT} Null removes a pair of the metadata.`,
        ...conflicts(SESSION_TERMINATED),
      },
      delete: {
        description: "Deletes its disk, too, but not its files.",
        ...conflicts("The session is running."),
      },
    }),
    ...sharing(session, "a session"),
    cancel: act(`${session}/cancel`, "Cancel the running turn", {
      description: "The session can be continued.",
      ...FOR_WRITERS,
      ...CONFIDENTIAL,
      ...conflicts(SESSION_TERMINATED),
    }),
    archive: act(`${session}/archive`, "Archive a session", {
      description: "Makes it read-only.",
      ...CONFIDENTIAL,
    }),
    release: act(`${session}/release`, "Release a session that is set aside", {
      description: "Its turns run again. Does nothing for a session that is not set aside.",
      ...CONFIDENTIAL,
      ...conflicts(SESSION_TERMINATED),
    }),
    terminate: act(`${session}/terminate`, "Terminate a session", {
      description: "Ends it and its sandbox forever.",
      ...CONFIDENTIAL,
      ...conflicts(SESSION_TERMINATED),
    }),
    markSeen: act(`${session}/seen`, "Mark a session as seen by the caller", {
      description: "`unseen` is false until its next turn ends. Others keep their own marks.",
      ...OWN_MARK,
    }),
    markUnseen: remove(`${session}/seen`, "Mark a session as unseen by the caller", {
      description: "Puts it on the caller's desk, if it is not there yet.",
      ...OWN_MARK,
      ...conflicts(SESSION_TERMINATED),
    }),
  }),
  sessionResources: noun("sessionResources", {
    add: post(resources, "Add a file to a session", {
      ...FOR_WRITERS,
      conflicts: [
        {
          status: 409,
          type: "invalid_request_error",
          when: "The session is archived or terminated, the file is not ready, or it is already mounted in the session.",
        },
      ],
    }),
    list: list(resources, "List a session's resources"),
    get: get(`${resources}/{resource_id}`, "Get a session resource"),
    delete: remove(`${resources}/{resource_id}`, "Remove a file from a session", {
      description: "Removes it from the sandbox, too.",
      ...conflicts(SESSION_TERMINATED),
    }),
    rotate: post(
      `${resources}/{resource_id}`,
      "Rotate a repository's token or password, or try a failed clone again",
      {
        description: "The agent's next command uses the new one.",
        ...conflicts(SESSION_TERMINATED, "`retry` is for a repository whose clone has failed."),
      },
    ),
  }),
  workspace: noun("workspace", {
    list: list(`${session}/workspace`, "List a directory of a session's sandbox", {
      description: "Lists `/data` by default. Opens the sandbox if it is closed.",
      ...conflicts(NO_DISK),
    }),
    content: get(`${session}/workspace/content`, "Get the content of a file in a session's sandbox", {
      responseKind: "bytes",
      ...HAS_QUERY,
      ...conflicts(NO_DISK, "The file changed while it was read."),
    }),
  }),
  changes: noun("changes", {
    get: get(`${session}/changes`, "Get the changes in a session's repositories", {
      description: "Returns branch, commits and files of each repository, since it was cloned.",
      ...conflicts(NO_DISK),
    }),
    diff: get(`${session}/changes/{resource_id}/diff`, "Get the diff of a session's repository", {
      description: "Without `path`, that of all files. `truncated` says that it was cut.",
      ...HAS_QUERY,
      ...conflicts(
        NO_DISK,
        "The repository is not cloned, or cannot be compared with the commit that was cloned.",
      ),
    }),
  }),
  pullRequests: noun("pullRequests", {
    get: get(`${session}/pull_requests`, "Get the pull requests of a session's branches", {
      description:
        "State, checks and reviews, as the host of each repository says. The host is asked with the session's own credential, or by its connection, once for all who ask at the same time. If it fails, `error` says why, and what it said before stays. After the session has ended, only connections are asked.",
      ...HAS_QUERY,
    }),
  }),
  previews: noun("previews", {
    create: post(previews, "Open a port of a session's sandbox in browsers", {
      description:
        "Returns an address of its own for the port. It opens no sandbox and starts no program, and asks for nothing on the port.",
      ...CONFIDENTIAL,
      ...FOR_WRITERS,
      ...conflicts("The session is archived or terminated.", "The session already has 20 previews."),
    }),
    list: list(previews, "List a session's previews", {
      description: "Those that have not expired.",
      ...CONFIDENTIAL,
    }),
    get: get(`${previews}/{preview_id}`, "Get a preview", CONFIDENTIAL),
    delete: remove(`${previews}/{preview_id}`, "End a preview", {
      description: "Its open connections are closed, and its address works no longer.",
      ...FOR_WRITERS,
    }),
  }),
  confirmationRules: noun("confirmationRules", {
    create: post(rules, "Allow calls of a tool in a session without a confirmation", {
      description:
        "What the agent's permission policy denies stays denied. Returns the rule that the session has if it has this one already; at most 100.",
      ...FOR_WRITERS,
      ...conflicts(SESSION_TERMINATED),
    }),
    list: list(rules, "List a session's confirmation rules", {
      description:
        "By a rule, calls that would wait for a confirmation run at once. A `user.tool_confirmation` with `always` adds one, too.",
    }),
    delete: remove(`${rules}/{rule_id}`, "Revoke a confirmation rule", {
      description:
        "Calls that the rule has allowed are not stopped. Later ones wait for a confirmation again.",
      ...FOR_WRITERS,
      ...conflicts(SESSION_TERMINATED),
    }),
  }),
  events: noun("events", {
    send: post(`${session}/events`, "Send events to a session", {
      description: "Appends 1 to 50 events, all or none. Returns them as they were stored.",
      ...FOR_WRITERS,
      features: ["outcomes"],
      ...conflicts(
        SESSION_TERMINATED,
        "A confirmation or a result is for a tool call that is no longer waiting: it was already answered or interrupted.",
        "With the message, more than 16 MiB of messages would wait in the session.",
        "A message is sent while the session is set aside.",
      ),
    }),
    list: list(`${session}/events`, "List a session's events"),
    stream: get(`${session}/events/stream`, "Follow a session's events", {
      responseKind: "stream",
      ...HAS_QUERY,
    }),
  }),
  deployments: noun("deployments", {
    create: post("/deployments", "Create a deployment", {
      description:
        "It creates sessions by its schedule, or with `run`, each as a session of its owner with the rights that the owner has at that time. What it refers to is checked as for a session.",
      ...CONFIDENTIAL,
      ...DRY_RUN,
      ...conflicts(DEPLOYMENT_UNUSABLE),
    }),
    list: list("/deployments", "List deployments", CONFIDENTIAL),
    get: get(deployment, "Get a deployment", CONFIDENTIAL),
    update: post(deployment, "Update a deployment", {
      description: `${KEPT} Null clears a field, and lists are replaced as a whole. Sessions that it has created stay as they are.`,
      ...CONFIDENTIAL,
      ...DRY_RUN,
      ...conflicts(DEPLOYMENT_UNUSABLE),
    }),
    ...sharing(deployment, "a deployment"),
    pause: act(`${deployment}/pause`, "Pause a deployment", {
      description: "Its schedule does not run. `run` still works. For those with the access `write`, too.",
      ...CONFIDENTIAL,
      ...FOR_WRITERS,
    }),
    unpause: act(`${deployment}/unpause`, "Unpause a deployment", {
      description:
        "Its schedule runs from now on: what it would have run meanwhile is not made up for. What a service account unpauses acts as that account. For those with the access `write`, too.",
      ...CONFIDENTIAL,
      ...FOR_WRITERS,
    }),
    run: act(`${deployment}/run`, "Run a deployment now", {
      description:
        "Creates a session and returns the run, with an `error` if the session could not be created. Also works while it is paused. For those with the access `write`, too: the session is its owner's, and shared as the deployment is.",
      ...FOR_WRITERS,
    }),
    archive: act(`${deployment}/archive`, "Archive a deployment", {
      description: "Cannot be undone. It stays readable, but runs no more.",
      ...CONFIDENTIAL,
    }),
    runs: list(`${deployment}/runs`, "List the runs of a deployment"),
  }),
  deploymentRuns: noun("deploymentRuns", {
    list: list("/deployment_runs", "List runs of deployments", {
      description: "Those of the caller's own deployments, or of the one that the query names.",
      scope: "deployments:read",
    }),
    get: get("/deployment_runs/{deployment_run_id}", "Get a run of a deployment", {
      scope: "deployments:read",
    }),
  }),
  deploymentTriggers: noun("deploymentTriggers", {
    ...crud(`${deployment}/triggers/{trigger_id}`, "a trigger of a deployment", {
      create: {
        summary: "Add a trigger to a deployment",
        description:
          "Answers with the address to which the sender sends what happens, and with the `secret` by which it signs, which is returned only once.",
        ...CONFIDENTIAL,
        ...conflicts("The deployment is archived, or has 32 triggers."),
      },
      list: { summary: "List the triggers of a deployment" },
      update: {
        description: `${KEPT} Null clears a field, or restores its default. The type cannot be changed.`,
      },
      delete: { description: "Its address takes nothing any more." },
    }),
    deliveries: list(`${deployment}/triggers/{trigger_id}/deliveries`, "List what a trigger was sent", {
      description: "Newest first, for thirty days.",
    }),
  }),
  usage: noun("usage", {
    get: get("/usage", "Get the usage of sessions, by day or by another group", {
      description:
        "Counts the sessions that the token can access, in up to 366 days (UTC). Default: by day, for the last 30 days.",
      ...HAS_QUERY,
      scope: "sessions:read",
    }),
  }),
  health: noun("health", {
    get: get("/health", "Get the health of the installation", {
      description: "Returns failed checks, hosts, sessions and disks. Only for admins.",
      scope: "metrics:read",
    }),
  }),
  files: noun("files", {
    upload: post("/files", "Upload a file, or create one to upload in parts", {
      body: "multipart",
      ...conflicts("The owner already has 100 files whose content is pending."),
    }),
    list: list("/files", "List files"),
    get: get("/files/{file_id}", "Get a file"),
    delete: remove(
      "/files/{file_id}",
      "Delete a file",
      conflicts("The file is mounted in a session that is neither archived nor terminated."),
    ),
    ...sharing("/files/{file_id}", "a file"),
    putContent: put(
      "/files/{file_id}/content",
      "Upload the content of a pending file, whole or in parts",
      conflicts(
        "The file is not pending, another request is uploading its content, or the part does not start where the last one ended (the message has that offset).",
      ),
    ),
    content: get("/files/{file_id}/content", "Get a file's content", {
      responseKind: "bytes",
      ...conflicts("The file is not ready."),
    }),
  }),
  vaults: noun("vaults", {
    ...crud("/vaults/{vault_id}", "a vault", {
      create: DRY_RUN,
      update: { description: KEPT, ...DRY_RUN, ...FOR_WRITERS },
      delete: {
        description: "Deletes its credentials, too.",
        ...conflicts("A session that is neither archived nor terminated uses the vault."),
      },
    }),
    ...sharing("/vaults/{vault_id}", "a vault"),
    archive: act("/vaults/{vault_id}/archive", "Archive a vault", {
      description: "Archives its credentials, too. Cannot be undone: their secrets are destroyed.",
    }),
  }),
  vaultCredentials: noun("vaultCredentials", {
    ...crud(`${credentials}/{credential_id}`, "a credential", {
      create: {
        summary: "Add a credential to a vault",
        ...DRY_RUN,
        ...FOR_WRITERS,
        ...conflicts("The vault is full, or it has a credential for this server or with this name."),
      },
      list: { summary: "List a vault's credentials", ...FOR_WRITERS },
      get: FOR_WRITERS,
      update: {
        summary: "Update a credential, or rotate its secret",
        description: `${KEPT} Sessions use a new secret from their next call on. The server or the variable of a credential cannot be changed.`,
        ...DRY_RUN,
        ...FOR_WRITERS,
      },
    }),
    archive: act(`${credentials}/{credential_id}/archive`, "Archive a credential", {
      description:
        "Cannot be undone: the secret is destroyed. Another credential can then have its server or name.",
    }),
  }),
  connections: noun("connections", {
    ...crud(connection, "a connection", {
      create: {
        summary: "Create a connection to a git host",
        description:
          "Stores the credential by which sessions get tokens for repositories of the host. The host is not asked: `test` does that.",
      },
      list: { summary: "List connections to git hosts" },
      update: {
        summary: "Update a connection, or rotate its secret",
        description: `${KEPT} The host and the type cannot be changed. Sessions get tokens by a new secret from their next command on.`,
      },
      delete: conflicts(
        "A session that is neither archived nor terminated uses the connection, or a token that it made for one is still to be revoked.",
      ),
    }),
    test: act(`${connection}/test`, "Test a connection", {
      description: "Asks the host whether it accepts the credential. `message` says what is wrong.",
      readOnly: true,
    }),
    repositories: list(`${connection}/repositories`, "List the repositories that a connection reaches", {
      description: "In the order of the host.",
      ...conflicts(HOST_FAILED),
    }),
    branches: list(`${connection}/branches`, "List the branches of a repository", {
      description: "In the order of the host.",
      ...conflicts(HOST_FAILED),
    }),
  }),
  webhooks: noun("webhooks", {
    ...crud(webhook, "a webhook", {
      create: {
        description:
          "`secret` of the response is the key by which its receiver verifies requests. It is returned only once. An owner has at most 32 webhooks.",
        ...CONFIDENTIAL,
        ...conflicts("The owner has 32 webhooks.", "The installation has no relay for mail."),
      },
      update: { description: `${KEPT} The format and the owner cannot be changed.` },
      delete: { description: "Deletes its deliveries, too. What is pending is not sent." },
    }),
    enable: act(`${webhook}/enable`, "Enable a webhook", {
      description: "Sends what was pending when it was disabled. What happened since is not sent.",
    }),
    disable: act(`${webhook}/disable`, "Disable a webhook", {
      description: "Nothing is sent, and nothing that happens is kept to be sent later.",
    }),
    test: act(`${webhook}/test`, "Test a webhook", {
      description:
        "Sends an event of the type `webhook.test` once, also if the webhook is disabled, and waits for the answer. `message` says what is wrong.",
      readOnly: true,
    }),
    rotateSecret: act(`${webhook}/rotate_secret`, "Rotate a webhook's secret", {
      description: "For 24 hours requests are signed with both, the new one first.",
      ...CONFIDENTIAL,
      ...conflicts("The webhook signs nothing: its format is not `standard`."),
    }),
    deliveries: list(`${webhook}/deliveries`, "List a webhook's deliveries", {
      description: "Those of the last 30 days.",
    }),
    redeliver: act(`${webhook}/deliveries/{delivery_id}/redeliver`, "Deliver an event again", {
      description:
        "At once, and with all tries, whatever became of it. The receiver gets the same `webhook-id`.",
      ...conflicts("The webhook is disabled."),
    }),
  }),
  memoryStores: noun("memoryStores", {
    ...crud(store, "a memory store", {
      create: DRY_RUN,
      update: {
        description: `${KEPT} Sessions keep the name and description that the store had when they were created.`,
        ...DRY_RUN,
        ...FOR_WRITERS,
      },
      delete: {
        summary: "Delete a memory store with its memories",
        ...conflicts("The store is mounted in a session that is neither terminated nor archived."),
      },
    }),
    ...sharing(store, "a memory store"),
    archive: act(`${store}/archive`, "Archive a memory store", {
      description: "Cannot be undone. The store and its memories stay readable, but cannot be changed.",
    }),
  }),
  memories: noun("memories", {
    ...crud(memory, "a memory", {
      create: {
        ...DRY_RUN,
        ...FOR_WRITERS,
        ...conflicts(`${MEMORY_PATH_TAKEN}, or the store holds 2,000 memories.`),
      },
      list: { summary: "List a store's memories without their content" },
      update: {
        description: `${KEPT} A request that changes nothing creates no version.`,
        ...DRY_RUN,
        ...FOR_WRITERS,
        ...conflicts(MEMORY_CHANGED, `${MEMORY_PATH_TAKEN}.`),
      },
      delete: {
        description: "Its versions are kept.",
        ...HAS_QUERY,
        ...FOR_WRITERS,
        ...conflicts(MEMORY_CHANGED),
      },
    }),
  }),
  memoryVersions: noun("memoryVersions", {
    list: list(memoryVersions, "List the versions of a store's memories", {
      description: "Without their content.",
    }),
    get: get(`${memoryVersions}/{memory_version_id}`, "Get a memory version"),
    redact: act(`${memoryVersions}/{memory_version_id}/redact`, "Redact a memory version", {
      description: "Removes path, content, hash and size forever; the version stays.",
      ...conflicts("The version is the newest one of an existing memory."),
    }),
  }),
  skills: noun("skills", {
    ...crud(skill, "a skill", {
      create: {
        summary: "Upload a skill",
        description:
          "`SKILL.md` is at the top level or in the only directory there; its frontmatter has `name` and `description`.",
        body: "multipart",
        ...DRY_RUN,
        ...conflicts("The owner has a skill with this name."),
      },
      update: {
        summary: "Update a skill's title and metadata",
        description: KEPT,
        ...DRY_RUN,
        ...FOR_WRITERS,
      },
      delete: {
        summary: "Delete a skill with all its versions",
        ...conflicts(`The skill is in use: ${SKILL_USERS}.`),
      },
    }),
    ...sharing(skill, "a skill"),
    archive: act(`${skill}/archive`, "Archive a skill", {
      description:
        "Cannot be undone. Agents and sessions that have the skill keep it, but it cannot be added to others.",
    }),
    createVersion: post(`${skill}/versions`, "Upload a version of a skill", {
      description: "The `name` in its frontmatter must be the skill's.",
      body: "multipart",
      ...DRY_RUN,
      ...FOR_WRITERS,
    }),
    versions: list(`${skill}/versions`, "List a skill's versions", { description: "Newest first." }),
    getVersion: get(skillVersion, "Get a version of a skill", {
      description: "`version` is its number or its id.",
    }),
    content: get(`${skillVersion}/content`, "Get the content of a file in a version of a skill", {
      description: "Returns it as an attachment; with `Range` a part of it.",
      responseKind: "bytes",
      ...HAS_QUERY,
    }),
    deleteVersion: remove(
      skillVersion,
      "Delete a version of a skill",
      conflicts(`It is the skill's only version, or it is in use: ${SKILL_USERS}.`),
    ),
  }),
  forward: noun("forward", {
    register: post("/resources/registry", "Register a resource", {
      ...forward,
      scope: "forward:write",
      created: "The resource was registered.",
    }),
    list: list("/resources", "List the resources that the caller registered", {
      description: "Without those that are deleted, archived or inaccessible.",
      ...CONFIDENTIAL,
      ...forward,
      scope: "forward:read",
    }),
  }),
  ...adminOperations,
} as const satisfies Record<string, Readonly<Record<string, Operation>>>;

export { isAdministration, isPlain };

/** A path of a beta feature that is not served: the response is 400 or 501. */
export const { threads: threadsOperation } = noun("sessions", {
  threads: list(`${session}/threads`, "List a session's threads", { features: ["threads"] }),
});
