import { adminOperations } from "./admin-operations.ts";
import { act, conflicts, get, list, noun, type Operation, post, put, remove } from "./operation.ts";

const SESSION_TERMINATED = "The session is terminated.";
const AGENT_VERSION_STALE = "`version` is not the newest version of the agent.";
const ENVIRONMENT_NAME_TAKEN = "The owner has an environment of this name.";
const MEMORY_CHANGED = "The content is not the one that the request expects.";
const MEMORY_PATH_TAKEN = "Another memory has this path, or one path is a directory of the other";
const SKILL_USERS =
  "an agent that is not archived uses it, or a session that is not terminated was created with it";

const NO_DISK =
  "The session has no disk: it has not run a command yet, it has ended, or its disk was reclaimed after a time without activity.";

const DRY_RUN = { dryRun: true } as const;

const session = "/sessions/{session_id}";
const resources = `${session}/resources`;
const store = "/memory_stores/{memory_store_id}";
const memory = `${store}/memories/{memory_id}`;
const memoryVersions = `${store}/memory_versions`;
const skill = "/skills/{skill_id}";
const skillVersion = `${skill}/versions/{version}`;
const credentials = "/vaults/{vault_id}/credentials";

const CONFIDENTIAL = { confidential: true } as const;

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
    create: post("/tokens", "Create a token", CONFIDENTIAL),
    list: list("/tokens", "List tokens"),
    current: get("/tokens/current", "Get the token of the request, and whose it is", { scope: null }),
    delete: remove("/tokens/{token_id}", "Revoke a token and its descendants", { ownToken: true }),
  }),
  deviceAuthorizations: noun("deviceAuthorizations", {
    create: post("/device_authorizations", "Ask for a token that a user approves elsewhere", OPEN),
    lookup: post("/device_authorizations/lookup", "Get what asks for a token, by its user code", {
      ...DEVICE_SCOPE,
      readOnly: true,
    }),
    approve: post(
      "/device_authorizations/approve",
      "Approve a token for what shows a user code",
      DEVICE_SCOPE,
    ),
    deny: post("/device_authorizations/deny", "Deny a token to what shows a user code", DEVICE_SCOPE),
  }),
  deviceTokens: noun("deviceTokens", {
    create: post("/device_tokens", "Get the token that was asked for, once it is approved", {
      ...OPEN,
      ...conflicts("Nobody has approved or denied it yet: `error.code` is `authorization_pending`."),
    }),
  }),
  whoami: noun("whoami", {
    get: get("/whoami", "Get who is calling, and what they may do", { scope: null }),
  }),
  principals: noun("principals", {
    get: get("/principals", "Get the names of users and service accounts", { scope: null }),
  }),
  consoleLinks: noun("consoleLinks", {
    create: act("/console_links", "Create a link that signs in to the console, once", {
      scope: null,
      credential: "pat",
      ...CONFIDENTIAL,
    }),
  }),
  agents: noun("agents", {
    create: post("/agents", "Create an agent", DRY_RUN),
    list: list("/agents", "List agents"),
    get: get("/agents/{agent_id}", "Get an agent"),
    update: post("/agents/{agent_id}", "Update an agent", {
      ...DRY_RUN,
      ...conflicts(AGENT_VERSION_STALE),
    }),
    delete: remove(
      "/agents/{agent_id}",
      "Delete an agent",
      conflicts("A session was created with the agent."),
    ),
    archive: act("/agents/{agent_id}/archive", "Archive an agent"),
    versions: list("/agents/{agent_id}/versions", "List an agent's versions"),
  }),
  models: noun("models", {
    list: list("/models", "List the models that agents can use", {
      unpaginated: true,
      scope: "agents:read",
    }),
  }),
  environments: noun("environments", {
    create: post("/environments", "Create an environment", {
      ...DRY_RUN,
      ...CONFIDENTIAL,
      ...conflicts(ENVIRONMENT_NAME_TAKEN),
    }),
    list: list("/environments", "List environments", CONFIDENTIAL),
    get: get("/environments/{environment_id}", "Get an environment", CONFIDENTIAL),
    update: post("/environments/{environment_id}", "Update an environment", {
      ...DRY_RUN,
      ...CONFIDENTIAL,
      ...conflicts(ENVIRONMENT_NAME_TAKEN),
    }),
    delete: remove(
      "/environments/{environment_id}",
      "Delete an environment",
      conflicts("A session that is not terminated uses the environment."),
    ),
    archive: act("/environments/{environment_id}/archive", "Archive an environment", CONFIDENTIAL),
  }),
  sessions: noun("sessions", {
    create: post("/sessions", "Create a session", {
      features: ["outcomes"],
      ...CONFIDENTIAL,
      ...conflicts("The agent or the environment is archived, or a file is not ready."),
    }),
    list: list("/sessions", "List sessions", CONFIDENTIAL),
    get: get(session, "Get a session", CONFIDENTIAL),
    update: post(session, "Update a session", { ...CONFIDENTIAL, ...conflicts(SESSION_TERMINATED) }),
    delete: remove(session, "Delete a session", conflicts("The session is running.")),
    cancel: act(`${session}/cancel`, "Cancel the running turn", {
      ...CONFIDENTIAL,
      ...conflicts(SESSION_TERMINATED),
    }),
    archive: act(`${session}/archive`, "Archive a session", CONFIDENTIAL),
    release: act(`${session}/release`, "Release a session that is set aside", {
      ...CONFIDENTIAL,
      ...conflicts(SESSION_TERMINATED),
    }),
    terminate: act(`${session}/terminate`, "Terminate a session", {
      ...CONFIDENTIAL,
      ...conflicts(SESSION_TERMINATED),
    }),
  }),
  sessionResources: noun("sessionResources", {
    add: post(resources, "Add a file to a session", {
      conflicts: [
        {
          status: 409,
          type: "invalid_request_error",
          when: "The session is archived or terminated, the file is not ready, or it is mounted in the session already.",
        },
      ],
    }),
    list: list(resources, "List a session's resources"),
    get: get(`${resources}/{resource_id}`, "Get a session resource"),
    delete: remove(
      `${resources}/{resource_id}`,
      "Remove a file from a session",
      conflicts(SESSION_TERMINATED),
    ),
    rotate: post(
      `${resources}/{resource_id}`,
      "Rotate a repository's token or password, or try a failed clone again",
      conflicts(SESSION_TERMINATED, "`retry` is for a repository whose clone has failed."),
    ),
  }),
  workspace: noun("workspace", {
    list: list(`${session}/workspace`, "List a directory of a session's sandbox", conflicts(NO_DISK)),
    content: get(`${session}/workspace/content`, "Get the content of a file in a session's sandbox", {
      responseKind: "bytes",
      ...conflicts(NO_DISK, "The file is changing while it is read."),
    }),
  }),
  changes: noun("changes", {
    get: get(`${session}/changes`, "Get what changed in a session's repositories", conflicts(NO_DISK)),
    diff: get(
      `${session}/changes/{resource_id}/diff`,
      "Get the diff of a session's repository",
      conflicts(NO_DISK, "The repository is not in place, or cannot be compared with what was cloned."),
    ),
  }),
  events: noun("events", {
    send: post(`${session}/events`, "Send events to a session", {
      features: ["outcomes"],
      ...conflicts(
        SESSION_TERMINATED,
        "A confirmation or a result is for a tool call that is no longer waiting: it has a reply, or it was interrupted.",
        "A message is sent while 16 MiB of messages wait that no turn has taken, or would with it.",
        "A message is sent while the session is set aside.",
      ),
    }),
    list: list(`${session}/events`, "List a session's events"),
    stream: get(`${session}/events/stream`, "Follow a session's events", { responseKind: "stream" }),
  }),
  usage: noun("usage", {
    get: get("/usage", "Get what sessions used, in days, by what they have in common", {
      scope: "sessions:read",
    }),
  }),
  health: noun("health", {
    get: get("/health", "Get how the installation is", { scope: "metrics:read" }),
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
    putContent: put(
      "/files/{file_id}/content",
      "Upload the content of a pending file, whole or in parts",
      conflicts(
        "The file is not pending, another request is uploading its content, or the part does not start where the last one ended; the message has that offset.",
      ),
    ),
    content: get("/files/{file_id}/content", "Get a file's content", {
      responseKind: "bytes",
      ...conflicts("The file is not ready."),
    }),
  }),
  vaults: noun("vaults", {
    create: post("/vaults", "Create a vault", DRY_RUN),
    list: list("/vaults", "List vaults"),
    get: get("/vaults/{vault_id}", "Get a vault"),
    update: post("/vaults/{vault_id}", "Update a vault", DRY_RUN),
    delete: remove(
      "/vaults/{vault_id}",
      "Delete a vault",
      conflicts("A session that is neither archived nor terminated uses the vault."),
    ),
    archive: act("/vaults/{vault_id}/archive", "Archive a vault"),
  }),
  vaultCredentials: noun("vaultCredentials", {
    create: post(credentials, "Add a credential to a vault", {
      ...DRY_RUN,
      ...conflicts("The vault is full, or it has a credential for this server or with this name."),
    }),
    list: list(credentials, "List a vault's credentials"),
    get: get(`${credentials}/{credential_id}`, "Get a credential"),
    update: post(`${credentials}/{credential_id}`, "Update a credential, or rotate its secret", DRY_RUN),
    delete: remove(`${credentials}/{credential_id}`, "Delete a credential"),
    archive: act(`${credentials}/{credential_id}/archive`, "Archive a credential"),
  }),
  memoryStores: noun("memoryStores", {
    create: post("/memory_stores", "Create a memory store", DRY_RUN),
    list: list("/memory_stores", "List memory stores"),
    get: get(store, "Get a memory store"),
    update: post(store, "Update a memory store", DRY_RUN),
    delete: remove(
      store,
      "Delete a memory store with its memories",
      conflicts("The store is mounted in a session that is neither terminated nor archived."),
    ),
    archive: act(`${store}/archive`, "Archive a memory store"),
  }),
  memories: noun("memories", {
    create: post(`${store}/memories`, "Create a memory", {
      ...DRY_RUN,
      ...conflicts(`${MEMORY_PATH_TAKEN}, or the store holds 2,000 memories.`),
    }),
    list: list(`${store}/memories`, "List a store's memories without their content"),
    get: get(memory, "Get a memory"),
    update: post(memory, "Update a memory", {
      ...DRY_RUN,
      ...conflicts(MEMORY_CHANGED, `${MEMORY_PATH_TAKEN}.`),
    }),
    delete: remove(memory, "Delete a memory", conflicts(MEMORY_CHANGED)),
  }),
  memoryVersions: noun("memoryVersions", {
    list: list(memoryVersions, "List the versions of a store's memories"),
    get: get(`${memoryVersions}/{memory_version_id}`, "Get a memory version"),
    redact: act(
      `${memoryVersions}/{memory_version_id}/redact`,
      "Redact a memory version",
      conflicts("The version is the newest one of an existing memory."),
    ),
  }),
  skills: noun("skills", {
    create: post("/skills", "Upload a skill", {
      body: "multipart",
      ...DRY_RUN,
      ...conflicts("The owner has a skill of this name."),
    }),
    list: list("/skills", "List skills"),
    get: get(skill, "Get a skill"),
    update: post(skill, "Update a skill's title and metadata", DRY_RUN),
    delete: remove(
      skill,
      "Delete a skill with all its versions",
      conflicts(`The skill is in use: ${SKILL_USERS}.`),
    ),
    archive: act(`${skill}/archive`, "Archive a skill"),
    createVersion: post(`${skill}/versions`, "Upload a version of a skill", {
      body: "multipart",
      ...DRY_RUN,
    }),
    versions: list(`${skill}/versions`, "List a skill's versions"),
    getVersion: get(skillVersion, "Get a version of a skill"),
    content: get(`${skillVersion}/content`, "Get the content of a file in a version of a skill", {
      responseKind: "bytes",
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
      ...CONFIDENTIAL,
      ...forward,
      scope: "forward:read",
    }),
  }),
  ...adminOperations,
} as const satisfies Record<string, Readonly<Record<string, Operation>>>;

/** A path of a beta feature that is not served: the response is 400 or 501. */
export const { threads: threadsOperation } = noun("sessions", {
  threads: list(`${session}/threads`, "List a session's threads", { features: ["threads"] }),
});
