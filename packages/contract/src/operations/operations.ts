import { act, conflicts, get, list, noun, type Operation, post, put, remove } from "./operation.ts";

const sessionTerminated = "The session is terminated.";
const agentVersionStale = "`version` is not the newest version of the agent.";
const environmentNameTaken = "The owner has an environment of this name.";
const memoryChanged = "The memory's content is not the one that was expected.";
const memoryPathTaken = "The path is one of another memory, below one, or a directory of one";
const skillUsers = "an agent that is not archived names it, or a session that goes on was created with it";

const session = "/sessions/{session_id}";
const resources = `${session}/resources`;
const store = "/memory_stores/{memory_store_id}";
const memory = `${store}/memories/{memory_id}`;
const memoryVersions = `${store}/memory_versions`;
const skill = "/skills/{skill_id}";
const skillVersion = `${skill}/versions/{version}`;
const credentials = "/vaults/{vault_id}/credentials";

/** The registry has a prefix of its own, and is for users alone. */
const forward = { base: "/api/v1/forward", credential: "pat" } as const;

/**
 * Every operation as plain data, in the order of the documentation. At run time this table imports nothing but its
 * helpers, so that a client does not load the schemas.
 */
export const operations = {
  tokens: noun("tokens", {
    create: post("/tokens", "Create a token"),
    list: list("/tokens", "List tokens"),
    delete: remove("/tokens/{token_id}", "Revoke a token"),
  }),
  agents: noun("agents", {
    create: post("/agents", "Create an agent"),
    list: list("/agents", "List agents"),
    get: get("/agents/{agent_id}", "Get an agent"),
    update: post("/agents/{agent_id}", "Update an agent", conflicts(agentVersionStale)),
    delete: remove(
      "/agents/{agent_id}",
      "Delete an agent",
      conflicts("A session was created with the agent."),
    ),
    archive: act("/agents/{agent_id}/archive", "Archive an agent"),
    versions: list("/agents/{agent_id}/versions", "List an agent's versions"),
  }),
  models: noun("models", {
    list: list("/models", "List the models that agents can have", {
      unpaginated: true,
      scope: "agents:read",
    }),
  }),
  environments: noun("environments", {
    create: post("/environments", "Create an environment", conflicts(environmentNameTaken)),
    list: list("/environments", "List environments"),
    get: get("/environments/{environment_id}", "Get an environment"),
    update: post("/environments/{environment_id}", "Update an environment", conflicts(environmentNameTaken)),
    delete: remove(
      "/environments/{environment_id}",
      "Delete an environment",
      conflicts("A session that is not terminated uses the environment."),
    ),
    archive: act("/environments/{environment_id}/archive", "Archive an environment"),
  }),
  sessions: noun("sessions", {
    create: post("/sessions", "Create a session", {
      features: ["outcomes"],
      ...conflicts("The agent or the environment is archived, or a file is not ready."),
    }),
    list: list("/sessions", "List sessions"),
    get: get(session, "Get a session"),
    update: post(session, "Update a session", conflicts(sessionTerminated)),
    delete: remove(session, "Delete a session", conflicts("The session is running.")),
    cancel: act(`${session}/cancel`, "End the running turn", conflicts(sessionTerminated)),
    archive: act(`${session}/archive`, "Archive a session"),
    terminate: act(`${session}/terminate`, "Terminate a session", conflicts(sessionTerminated)),
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
      conflicts(sessionTerminated),
    ),
    rotate: post(
      `${resources}/{resource_id}`,
      "Rotate a repository's token or password",
      conflicts(sessionTerminated),
    ),
  }),
  events: noun("events", {
    send: post(`${session}/events`, "Send events to a session", {
      features: ["outcomes"],
      ...conflicts(
        sessionTerminated,
        "A call that is confirmed, or given a result, does not wait any more: it was answered or interrupted.",
      ),
    }),
    list: list(`${session}/events`, "List a session's events"),
    stream: get(`${session}/events/stream`, "Follow a session's events", { responseKind: "stream" }),
  }),
  files: noun("files", {
    upload: post("/files", "Upload a file, or announce one", {
      body: "multipart",
      ...conflicts(
        "The caller announces a file while 100 that it or others of its owner announced are pending.",
      ),
    }),
    list: list("/files", "List files"),
    get: get("/files/{file_id}", "Get a file"),
    delete: remove(
      "/files/{file_id}",
      "Delete a file",
      conflicts("A session that is neither archived nor terminated mounts the file."),
    ),
    putContent: put(
      "/files/{file_id}/content",
      "Send an announced file's content",
      conflicts(
        "The file is not pending, another request sends its content, or the part does not begin where the one before it ended; the message names that place.",
      ),
    ),
    content: get("/files/{file_id}/content", "Get a file's content", {
      responseKind: "bytes",
      ...conflicts("The file is not ready."),
    }),
  }),
  vaults: noun("vaults", {
    create: post("/vaults", "Create a vault"),
    list: list("/vaults", "List vaults"),
    get: get("/vaults/{vault_id}", "Get a vault"),
    update: post("/vaults/{vault_id}", "Update a vault"),
    delete: remove(
      "/vaults/{vault_id}",
      "Delete a vault",
      conflicts("A session that is neither archived nor terminated uses the vault."),
    ),
    archive: act("/vaults/{vault_id}/archive", "Archive a vault"),
  }),
  vaultCredentials: noun("vaultCredentials", {
    create: post(
      credentials,
      "Add a credential to a vault",
      conflicts("The vault has a credential for this server or of this name, or is full."),
    ),
    list: list(credentials, "List a vault's credentials"),
    get: get(`${credentials}/{credential_id}`, "Get a credential"),
    update: post(`${credentials}/{credential_id}`, "Update a credential, or rotate its secret"),
    delete: remove(`${credentials}/{credential_id}`, "Delete a credential"),
    archive: act(`${credentials}/{credential_id}/archive`, "Archive a credential"),
  }),
  memoryStores: noun("memoryStores", {
    create: post("/memory_stores", "Create a memory store"),
    list: list("/memory_stores", "List memory stores"),
    get: get(store, "Get a memory store"),
    update: post(store, "Update a memory store"),
    delete: remove(
      store,
      "Delete a memory store and everything in it",
      conflicts("A session that is neither terminated nor archived mounts the store."),
    ),
    archive: act(`${store}/archive`, "Archive a memory store"),
  }),
  memories: noun("memories", {
    create: post(
      `${store}/memories`,
      "Create a memory",
      conflicts(`${memoryPathTaken}, or the store holds 2,000 memories.`),
    ),
    list: list(`${store}/memories`, "List a store's memories, without their content"),
    get: get(memory, "Get a memory"),
    update: post(memory, "Update a memory", conflicts(memoryChanged, `${memoryPathTaken}.`)),
    delete: remove(memory, "Delete a memory", conflicts(memoryChanged)),
  }),
  memoryVersions: noun("memoryVersions", {
    list: list(memoryVersions, "List the changes of a store's memories"),
    get: get(`${memoryVersions}/{memory_version_id}`, "Get a memory version"),
    redact: act(
      `${memoryVersions}/{memory_version_id}/redact`,
      "Remove what a memory version holds",
      conflicts("The version is the newest of a memory that is there."),
    ),
  }),
  skills: noun("skills", {
    create: post("/skills", "Upload a skill", {
      body: "multipart",
      ...conflicts("The owner has a skill of this name."),
    }),
    list: list("/skills", "List skills"),
    get: get(skill, "Get a skill"),
    update: post(skill, "Update a skill's title and metadata"),
    delete: remove(
      skill,
      "Delete a skill with its versions",
      conflicts(`The skill is in use: ${skillUsers}.`),
    ),
    archive: act(`${skill}/archive`, "Archive a skill"),
    createVersion: post(`${skill}/versions`, "Upload a version of a skill", { body: "multipart" }),
    versions: list(`${skill}/versions`, "List a skill's versions"),
    getVersion: get(skillVersion, "Get a version of a skill"),
    deleteVersion: remove(
      skillVersion,
      "Delete a version of a skill",
      conflicts(`It is the skill's only version, or it is in use: ${skillUsers}.`),
    ),
  }),
  forward: noun("forward", {
    register: post("/resources/registry", "Register a resource", {
      ...forward,
      scope: "forward:write",
      created: "The resource was not registered before.",
    }),
    list: list("/resources", "List the resources that the caller has registered", {
      ...forward,
      scope: "forward:read",
    }),
  }),
} as const satisfies Record<string, Readonly<Record<string, Operation>>>;

/** A path of a beta feature that is answered with 400 or 501 and not served. */
export const { threads: threadsOperation } = noun("sessions", {
  threads: list(`${session}/threads`, "List a session's threads", { features: ["threads"] }),
});
