/** The help of each setting of the service, for `berth serve --help`: its value, and one line with the default. */
export const SETTINGS_HELP: Readonly<Record<string, readonly [form: string, line: string]>> = {
  BERTH_DATA_DIR: ["<dir>", "directory of all state; default: .berth"],
  BERTH_HOST: ["<address>", "address to listen on; default: 127.0.0.1"],
  BERTH_PORT: ["<number>", "port to listen on, 0 for any free one; default: 4180"],
  BERTH_DATABASE_URL: [
    "<url>",
    "PostgreSQL 15 or later to use instead of the embedded one; if it has a password, use the variable or --database-url-file",
  ],
  BERTH_PG_BIN: ["<dir>", "programs of another PostgreSQL version to run as the embedded one"],
  BERTH_SECRET_KEY_FILE: [
    "<file>",
    "key that encrypts secrets; default: secret.key in the data directory, created if missing",
  ],
  BERTH_BLOBS: [
    "<place>",
    "contents of files: disk, in the data directory, or a directory that all services of the database share; default: disk",
  ],
  BERTH_MODELS_FILE: [
    "<file>",
    "registry of models; default: the models of configured API keys and of an Ollama on this machine",
  ],
  BERTH_HOSTED_PROVIDERS: [
    "<json>",
    "git providers, as a list of {host, api?, token_env[], ca_file?}; default: github.com",
  ],
  BERTH_GIT_CA_FILES: ["<json>", "CA certificates of other git servers, as a list of {host, ca_file}"],
  BERTH_GIT_HTTP_HOSTS: ["<list>", "git servers that may be cloned from over http; default: none"],
  BERTH_EGRESS_ALLOW_PRIVATE: [
    "<list>",
    "hosts or networks with private addresses that sessions and MCP servers may use; default: none",
  ],
  BERTH_DISK_RECLAIM_SECONDS: [
    "<seconds>",
    "idle time after which a session's container and disk are removed; default: 86400",
  ],
  BERTH_SESSION_DISK_MB: [
    "<MiB>",
    "disk limit of sessions whose environment sets no disk_mb, if the machine can enforce it; 0: no limit; default: 10240",
  ],
  BERTH_MAX_CPUS: ["<number>", "most processors of a session; default: all of the machine's"],
  BERTH_MAX_MEMORY_MB: ["<MiB>", "most memory of a session; default: half of the machine's"],
  BERTH_MAX_PIDS: [
    "<number>",
    "most processes and threads of a session; default: half of what the machine can run",
  ],
  BERTH_MAX_DISK_MB: [
    "<MiB>",
    "most disk space that an environment can ask for; default: half of the volume of the data directory",
  ],
  BERTH_SANDBOX_IDLE_SECONDS: [
    "<seconds>",
    "how long a sandbox stays open after its last command; default: 60",
  ],
  BERTH_HOST_GRACE_SECONDS: [
    "<seconds>",
    "with several services on one database: how long sessions wait for the service that has their disk; default: 120",
  ],
  BERTH_CLONE_RETRY_SECONDS: [
    "<seconds,…>",
    "waits before the retries of a clone that failed for a reason that passes; empty: none; default: 1,2,4,8,16",
  ],
  BERTH_TEMPLATES_MB: [
    "<MiB>",
    "disk space for snapshots of repositories, which make sessions start faster; 0: no snapshots; default: 20480",
  ],
  BERTH_TEMPLATES_DAYS: ["<days>", "days after which an unused snapshot is removed; default: 14"],
  BERTH_JSON_LIMIT: ["<bytes>", "maximum size of a JSON body; default: 4194304"],
  BERTH_UPLOAD_LIMIT: ["<bytes>", "maximum size of an uploaded file; default: 536870912"],
  BERTH_SANDBOX: ["<engine>", "sandbox engine: bubblewrap or docker; default: bubblewrap"],
  BERTH_ROOTFS: [
    "<system>",
    "operating system of sandboxes: debian, built by mmdebstrap, or host; default: debian",
  ],
  BERTH_DOCKER_SOCKET: [
    "<path>",
    "socket of the docker engine; default: that of Docker, else that of Podman",
  ],
  BERTH_DOCKER_IMAGE: ["<name>", "image of sandboxes with the docker engine; default: berth-sandbox:latest"],
  BERTH_NPM_REGISTRY: [
    "<url>",
    "registry for npm packages of environments; default: the public npm registry",
  ],
  BERTH_PIP_INDEX: ["<url>", "index for pip packages of environments; default: PyPI"],
  BERTH_METRICS_PUBLIC: [
    "<yes|no>",
    "whether /metrics needs no token from other machines and through proxies; default: no",
  ],
  BERTH_LOG_LEVEL: ["<level>", "debug, info, warn, error or silent; default: info"],
};
