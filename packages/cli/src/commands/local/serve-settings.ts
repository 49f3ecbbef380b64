/** What each setting of the service is, for `berth serve --help`: its value's form, and a line with the default. */
export const serveSettings: Readonly<Record<string, readonly [form: string, line: string]>> = {
  BERTH_DATA_DIR: ["<dir>", "where all state lives; default .berth"],
  BERTH_HOST: ["<address>", "address to listen on; default 127.0.0.1"],
  BERTH_PORT: ["<number>", "port to listen on, 0 for any free one; default 4180"],
  BERTH_DATABASE_URL: [
    "<url>",
    "PostgreSQL 15 or later instead of the embedded one; with a password rather by its variable or --database-url-file",
  ],
  BERTH_PG_BIN: ["<dir>", "programs of another PostgreSQL to run as the embedded one"],
  BERTH_SECRET_KEY_FILE: [
    "<file>",
    "key that seals secrets; default secret.key in the data directory, made when missing",
  ],
  BERTH_MODELS_FILE: [
    "<file>",
    "registry of models; default: what API keys and an Ollama on this machine offer",
  ],
  BERTH_HOSTED_PROVIDERS: ["<json>", "list of {host, api?, token_env[], ca_file?}; default github.com"],
  BERTH_GIT_CA_FILES: ["<json>", "list of {host, ca_file} of other git servers with an own authority"],
  BERTH_GIT_HTTP_HOSTS: ["<list>", "git servers that may be cloned from over http; default none"],
  BERTH_EGRESS_ALLOW_PRIVATE: [
    "<list>",
    "hosts or networks on private addresses that sessions may reach and MCP servers be on; default none",
  ],
  BERTH_DISK_RECLAIM_SECONDS: [
    "<seconds>",
    "idle time after which a session's container and disk are removed; default 86400",
  ],
  BERTH_SESSION_DISK_MB: [
    "<MiB>",
    "what a session may take on its disk whose environment sets no disk_mb, where the machine can enforce it; 0: no limit; default 10240",
  ],
  BERTH_SANDBOX_IDLE_SECONDS: [
    "<seconds>",
    "how long a sandbox stays open after its last command; default 60",
  ],
  BERTH_TEMPLATES_MB: [
    "<MiB>",
    "what repositories that are kept prepared for sessions may take; 0: none are kept; default 20480",
  ],
  BERTH_TEMPLATES_DAYS: ["<days>", "how long a prepared repository stays without use; default 14"],
  BERTH_JSON_LIMIT: ["<bytes>", "size of a JSON body; default 4194304"],
  BERTH_UPLOAD_LIMIT: ["<bytes>", "size of an uploaded file; default 536870912"],
  BERTH_SANDBOX: ["<engine>", "engine of the sandboxes, bubblewrap or docker; default bubblewrap"],
  BERTH_ROOTFS: [
    "<system>",
    "what sandboxes have as their system: debian, made by mmdebstrap, or host; default debian",
  ],
  BERTH_DOCKER_SOCKET: ["<path>", "socket of the docker engine; default that of Docker, or else of Podman"],
  BERTH_DOCKER_IMAGE: ["<name>", "image of the docker engine's sandboxes; default berth-sandbox:latest"],
  BERTH_NPM_REGISTRY: ["<url>", "registry of environments' npm packages; default npm's public one"],
  BERTH_PIP_INDEX: ["<url>", "simple index of environments' pip packages; default PyPI"],
  BERTH_LOG_LEVEL: ["<level>", "debug, info, warn, error or silent; default info"],
};
