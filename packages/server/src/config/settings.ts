import { createAddressGuard } from "@berth/egress/address-guard";
import { OutgoingProxies } from "@berth/egress/outgoing-proxies";
import { LIMIT_NAMES, RETAINED_NAMES } from "@berth/store/names";
import type { Config } from "./config.ts";
import { LEAST_CONNECTIONS, MOST_CONNECTIONS } from "./connections.ts";
import {
  type HostedProvider,
  parseGitCaFiles,
  parseHostedProviders,
  parseHttpHosts,
} from "./git-settings.ts";
import { otherAddress, ownAddress } from "./listen-address.ts";
import { issuer, mapping, scopes } from "./oidc.ts";
import { addressLimits, ownerLimits } from "./owner-limits.ts";
import {
  blobs,
  cpus,
  databaseUrl,
  diskMb,
  httpsUrl,
  httpUrl,
  integer,
  list,
  listeningPort,
  mailAddress,
  nonEmpty,
  oneOf,
  origin,
  proxyUrl,
  smtpUrl,
  waits,
  wildcardOrigin,
} from "./parsers.ts";
import { nodeSelector, runtimeClasses, tolerations } from "./pod-settings.ts";
import { retention } from "./retention.ts";
import { ROLES } from "./roles.ts";
import { proxies } from "./trusted-proxies.ts";

/** The definition of one setting. The flag and the key of the settings file are derived from the variable. */
export interface Setting<T> {
  variable: string;
  /** Form of the value, for the help. */
  form: string;
  /** One line of help, without the default. */
  help: string;
  /** Whether the settings file may have a YAML list of values or of objects instead of text. */
  shape?: "list" | "json";
  fallback: T;
  /** Description of the fallback, where its value is not self-explanatory. */
  absent?: string;
  /** Parses the value. @throws Error with a clause that follows the name of the setting. */
  parse(text: string): T;
  /** Marks a URL that may have a password, but not in a flag. Never shown; `<variable>_FILE` names a file. */
  secret?: true;
  /** Variables of other programs that are used when nothing else is given; empty ones are ignored. */
  common?: readonly string[];
  /** Whether the value is a path, relative to the working directory or to the settings file. */
  path?: true;
}

type Settings = { [Key in keyof Config]: Setting<Config[Key]> };

const MEBIBYTE = 1_048_576;
const DEFAULT_PROVIDER: HostedProvider = {
  host: "github.com",
  api: "https://api.github.com",
  token_env: ["GH_TOKEN"],
  ca_file: null,
};

/** All settings. Variables, flags, keys of the file, help, and validation are derived from this table. */
export const SETTINGS: Settings = {
  dataDir: {
    variable: "BERTH_DATA_DIR",
    form: "<dir>",
    help: "directory of all state",
    fallback: ".berth",
    parse: nonEmpty,
    path: true,
  },
  role: {
    variable: "BERTH_ROLE",
    form: "<role>",
    help: "what this service does: all, or one part of an installation whose services share a database and file contents: api (needs no root), runner, or egress, the gateway for sandboxes on other hosts",
    fallback: "all",
    parse: oneOf(...ROLES),
  },
  host: {
    variable: "BERTH_HOST",
    form: "<address>",
    help: "address to listen on",
    fallback: "127.0.0.1",
    parse: nonEmpty,
  },
  port: {
    variable: "BERTH_PORT",
    form: "<number>",
    help: "port to listen on, 0 for any free one",
    fallback: 4180,
    parse: listeningPort,
  },
  tlsCert: {
    variable: "BERTH_TLS_CERT",
    form: "<file>",
    help: "certificate chain of the service, as PEM: the service then listens for https, and reloads the file when it changes",
    fallback: null,
    absent: "plain http",
    parse: nonEmpty,
    path: true,
  },
  tlsKey: {
    variable: "BERTH_TLS_KEY",
    form: "<file>",
    help: "private key of the certificate, as PEM",
    fallback: null,
    absent: "plain http",
    parse: nonEmpty,
    path: true,
  },
  trustedProxies: {
    variable: "BERTH_TRUSTED_PROXIES",
    form: "<list>",
    shape: "list",
    help: "addresses and networks of proxies whose X-Forwarded-For header is trusted",
    fallback: [],
    absent: "none",
    parse: proxies,
  },
  publicUrl: {
    variable: "BERTH_PUBLIC_URL",
    form: "<url>",
    help: "where clients find the service, such as https://berth.example.com",
    fallback: null,
    absent: "where it listens",
    parse: origin,
  },
  previewUrl: {
    variable: "BERTH_PREVIEW_URL",
    form: "<url>",
    help: "where browsers open ports of sandboxes, with a wildcard for a name of each preview, such as https://*.previews.example.com",
    fallback: null,
    absent: "names below localhost, if the service is used at localhost",
    parse: wildcardOrigin,
  },
  previewAddress: {
    variable: "BERTH_PREVIEW_ADDRESS",
    form: "<address>:<port>",
    help: "where this service, if it serves the API, accepts connections of runners on other machines, for previews: an address that they can reach; the connections are encrypted",
    fallback: null,
    absent: "previews of sessions on this machine only",
    parse: ownAddress,
  },
  console: {
    variable: "BERTH_CONSOLE",
    form: "<on|off|plain-http>",
    help: "whether the console is served at /console; plain-http: sign-ins are also allowed over an unencrypted network, where others can read them",
    fallback: "on",
    parse: oneOf("on", "off", "plain-http"),
  },
  oidcIssuer: {
    variable: "BERTH_OIDC_ISSUER",
    form: "<url>",
    help: "identity provider (OpenID Connect) with which people sign in to the console",
    fallback: null,
    absent: "none",
    parse: issuer,
  },
  oidcClientId: {
    variable: "BERTH_OIDC_CLIENT_ID",
    form: "<id>",
    help: "client id of this service at the identity provider",
    fallback: null,
    absent: "none",
    parse: nonEmpty,
  },
  oidcClientSecretFile: {
    variable: "BERTH_OIDC_CLIENT_SECRET_FILE",
    form: "<file>",
    help: "file with the client secret of this service at the identity provider",
    fallback: null,
    absent: "no client secret",
    parse: nonEmpty,
    path: true,
  },
  oidcScopes: {
    variable: "BERTH_OIDC_SCOPES",
    form: "<list>",
    shape: "list",
    help: "scopes that the service requests from the identity provider",
    fallback: ["openid", "email", "profile"],
    parse: scopes,
  },
  oidcClaim: {
    variable: "BERTH_OIDC_CLAIM",
    form: "<name>",
    help: "claim that determines a user's organization and role; a dot names a member of an object",
    fallback: "groups",
    parse: nonEmpty,
  },
  oidcMapping: {
    variable: "BERTH_OIDC_MAPPING",
    form: "<JSON>",
    shape: "json",
    help: "who may sign in, as a list of {value, organization, role?}: the first entry applies whose value is in the claim",
    fallback: [],
    absent: "nobody",
    parse: mapping,
  },
  httpsProxy: {
    variable: "BERTH_HTTPS_PROXY",
    form: "<url>",
    help: "proxy to the internet, for models, MCP servers, git hosts and sessions; if it has a password, use the variable or --https-proxy-file, not the flag",
    fallback: null,
    absent: "HTTPS_PROXY, else the proxy for http",
    parse: proxyUrl,
    secret: true,
    common: ["https_proxy", "HTTPS_PROXY"],
  },
  httpProxy: {
    variable: "BERTH_HTTP_PROXY",
    form: "<url>",
    help: "the same for plain http (port 80)",
    fallback: null,
    absent: "HTTP_PROXY",
    parse: proxyUrl,
    secret: true,
    common: ["http_proxy", "HTTP_PROXY"],
  },
  noProxy: {
    variable: "BERTH_NO_PROXY",
    form: "<list>",
    shape: "list",
    help: "hosts that are reached without the proxy: names, with all their subdomains, or addresses, both with an optional port; networks, but not for models; or * for all",
    fallback: [],
    absent: "NO_PROXY",
    parse: directHosts,
    common: ["no_proxy", "NO_PROXY"],
  },
  smtpUrl: {
    variable: "BERTH_SMTP_URL",
    form: "<url>",
    help: "SMTP relay for the mails of webhooks, such as smtps://user:password@mail.example.com; if it has a password, use the variable or --smtp-url-file, not the flag",
    fallback: null,
    absent: "none; no mail is sent",
    parse: smtpUrl,
    secret: true,
  },
  smtpFrom: {
    variable: "BERTH_SMTP_FROM",
    form: "<address>",
    help: "sender of the mails of webhooks",
    fallback: null,
    absent: "none",
    parse: mailAddress,
  },
  databaseUrl: {
    variable: "BERTH_DATABASE_URL",
    form: "<url>",
    help: "PostgreSQL 15 or later to use instead of the embedded one; of several servers (host:port,host:port), the one that accepts writes is used; if it has a password, use the variable or --database-url-file, not the flag",
    fallback: null,
    absent: "the embedded one",
    parse: databaseUrl,
    secret: true,
  },
  databaseDirectUrl: {
    variable: "BERTH_DATABASE_DIRECT_URL",
    form: "<url>",
    help: "URL of the same database that bypasses the pooler of database_url, for work that needs a connection of its own; with a password as for database_url",
    fallback: null,
    absent: "database_url, without a pooler",
    parse: databaseUrl,
    secret: true,
  },
  databasePool: {
    variable: "BERTH_DATABASE_POOL",
    form: "<count>",
    help: "connections of each process to the database, besides the one for notifications",
    fallback: null,
    absent: "13; 6 for the role runner, 4 for egress",
    parse: integer(LEAST_CONNECTIONS, MOST_CONNECTIONS),
  },
  pgBin: {
    variable: "BERTH_PG_BIN",
    form: "<dir>",
    help: "directory with the programs of another PostgreSQL version, to run in place of the embedded one",
    fallback: null,
    absent: "those of the npm package",
    parse: nonEmpty,
    path: true,
  },
  migrate: {
    variable: "BERTH_MIGRATE",
    form: "<on|off>",
    help: "whether a start updates the schema of the database; off: only berth migrate does",
    fallback: "on",
    parse: oneOf("on", "off"),
  },
  secretKeyFile: {
    variable: "BERTH_SECRET_KEY_FILE",
    form: "<file>",
    help: "key that encrypts secrets",
    fallback: null,
    absent: "secret.key in the data directory, created if missing",
    parse: nonEmpty,
    path: true,
  },
  blobs: {
    variable: "BERTH_BLOBS",
    form: "<place>",
    help: "place for file contents: disk (in the data directory), or a directory or s3://bucket/prefix that all services of the database share",
    fallback: "disk",
    parse: blobs,
  },
  blobCacheMb: {
    variable: "BERTH_BLOB_CACHE_MB",
    form: "<MiB>",
    help: "disk space for local copies of file contents that are in S3",
    fallback: 1_024,
    parse: integer(0, 16_777_216),
  },
  modelsFile: {
    variable: "BERTH_MODELS_FILE",
    form: "<file>",
    help: "file with the models and their providers",
    fallback: null,
    absent: "the models of the configured API keys, and of Ollama on this machine",
    parse: nonEmpty,
    path: true,
  },
  hostedProviders: {
    variable: "BERTH_HOSTED_PROVIDERS",
    form: "<json>",
    shape: "json",
    help: "git providers, as a list of {host, api?, token_env[], ca_file?}",
    fallback: [DEFAULT_PROVIDER],
    absent: "github.com",
    parse: parseHostedProviders,
  },
  gitCaFiles: {
    variable: "BERTH_GIT_CA_FILES",
    form: "<json>",
    shape: "json",
    help: "CA certificates of other git servers, as a list of {host, ca_file}",
    fallback: [],
    absent: "none",
    parse: parseGitCaFiles,
  },
  gitHttpHosts: {
    variable: "BERTH_GIT_HTTP_HOSTS",
    form: "<list>",
    shape: "list",
    help: "git servers that may be cloned from over http",
    fallback: [],
    absent: "none",
    parse: parseHttpHosts,
  },
  egressAllowPrivate: {
    variable: "BERTH_EGRESS_ALLOW_PRIVATE",
    form: "<list>",
    shape: "list",
    help: "hosts or networks with private addresses that sessions may reach, and at which MCP servers and receivers of webhooks may be",
    fallback: [],
    absent: "none",
    parse: privateHosts,
  },
  diskReclaimSeconds: {
    variable: "BERTH_DISK_RECLAIM_SECONDS",
    form: "<seconds>",
    help: "idle time after which a session's container and disk are removed",
    fallback: 86_400,
    parse: integer(1, 31_536_000),
  },
  workspaceSaves: {
    variable: "BERTH_WORKSPACE_SAVES",
    form: "<when>",
    help: "whether the files on a session's disk are saved to blobs, in case the machine is lost: idle (when the sandbox is closed) or off",
    fallback: "off",
    parse: oneOf("idle", "off"),
  },
  workspaceSaveMb: {
    variable: "BERTH_WORKSPACE_SAVE_MB",
    form: "<MiB>",
    help: "maximum size of a session's saved workspace, compressed",
    fallback: 1_024,
    parse: integer(1, 1_048_576),
  },
  sessionDiskMb: {
    variable: "BERTH_SESSION_DISK_MB",
    form: "<MiB>",
    help: "disk limit of sessions whose environment sets no disk_mb, if the machine can enforce it; 0: no limit",
    fallback: 10_240,
    parse: diskMb,
  },
  maxCpus: {
    variable: "BERTH_MAX_CPUS",
    form: "<number>",
    help: "maximum number of processors of a session",
    fallback: null,
    absent: "all of the machine's; 4 where sandboxes are pods",
    parse: cpus,
  },
  maxMemoryMb: {
    variable: "BERTH_MAX_MEMORY_MB",
    form: "<MiB>",
    help: "maximum memory of a session",
    fallback: null,
    absent: "half of the machine's; 8192 where sandboxes are pods",
    parse: integer(64, 1_048_576),
  },
  maxPids: {
    variable: "BERTH_MAX_PIDS",
    form: "<number>",
    help: "maximum number of processes and threads of a session",
    fallback: null,
    absent: "half of what the machine can run; 1024 where sandboxes are pods",
    parse: integer(16, 1_000_000),
  },
  maxDiskMb: {
    variable: "BERTH_MAX_DISK_MB",
    form: "<MiB>",
    help: "maximum disk space that an environment can request",
    fallback: null,
    absent: "half of the volume of the data directory; 51200 where sandboxes are pods",
    parse: integer(64, 1_048_576),
  },
  sandboxIdleSeconds: {
    variable: "BERTH_SANDBOX_IDLE_SECONDS",
    form: "<seconds>",
    help: "how long a sandbox stays open after its last command",
    fallback: 60,
    parse: integer(0, 86_400),
  },
  maxKeepAliveSeconds: {
    variable: "BERTH_MAX_KEEP_ALIVE_SECONDS",
    form: "<seconds>",
    help: "maximum time that an environment can keep sandboxes open for processes that commands left",
    fallback: 3_600,
    parse: integer(0, 86_400),
  },
  previewMaxSeconds: {
    variable: "BERTH_PREVIEW_MAX_SECONDS",
    form: "<seconds>",
    help: "maximum time until a preview of a sandbox's port ends",
    fallback: 28_800,
    parse: integer(60, 2_592_000),
  },
  followLookSeconds: {
    variable: "BERTH_FOLLOW_LOOK_SECONDS",
    form: "<seconds>",
    help: "how often the host of a followed pull request is asked while something happens; else up to thirty times as seldom",
    fallback: 20,
    parse: integer(1, 3_600),
  },
  followQuietSeconds: {
    variable: "BERTH_FOLLOW_QUIET_SECONDS",
    form: "<seconds>",
    help: "how long nothing new may have come of a followed pull request before its agent is told",
    fallback: 60,
    parse: integer(0, 3_600),
  },
  sandboxPerf: {
    variable: "BERTH_SANDBOX_PERF",
    form: "<when>",
    help: "whether perf works in sandboxes: auto (where kernel.perf_event_paranoid is 2, except in pods) or off",
    fallback: "auto",
    parse: oneOf("auto", "off"),
  },
  modelRetrySeconds: {
    variable: "BERTH_MODEL_RETRY_SECONDS",
    form: "<seconds>",
    help: "how long a turn waits for a model that is overloaded or limits the rate; 0: three retries",
    fallback: 600,
    parse: integer(0, 604_800),
  },
  maxModelRequests: {
    variable: "BERTH_MAX_MODEL_REQUESTS",
    form: "<number>",
    help: "requests to the model in one turn of an agent that sets no max_model_requests",
    fallback: 500,
    parse: integer(1, 1_000_000),
  },
  hostGraceSeconds: {
    variable: "BERTH_HOST_GRACE_SECONDS",
    form: "<seconds>",
    help: "with several services on one database: how long sessions wait for the service that has their disk",
    fallback: 120,
    parse: integer(1, 86_400),
  },
  cloneRetrySeconds: {
    variable: "BERTH_CLONE_RETRY_SECONDS",
    form: "<seconds,…>",
    shape: "list",
    help: "waits before each retry of a clone that failed for a temporary reason; empty: no retries",
    fallback: [1, 2, 4, 8, 16],
    parse: waits,
  },
  snapshotsMegabytes: {
    variable: "BERTH_SNAPSHOTS_MB",
    form: "<MiB>",
    help: "disk space for snapshots of repositories, which make sessions start faster; 0: no snapshots",
    fallback: 20_480,
    parse: integer(0, 1_024 * 1_024 * 1_024),
  },
  snapshotsDays: {
    variable: "BERTH_SNAPSHOTS_DAYS",
    form: "<days>",
    help: "days after which an unused snapshot is removed",
    fallback: 14,
    parse: integer(1, 3_650),
  },
  jsonLimit: {
    variable: "BERTH_JSON_LIMIT",
    form: "<bytes>",
    help: "maximum size of a JSON body",
    fallback: 4 * MEBIBYTE,
    parse: integer(1_024, 32 * MEBIBYTE),
  },
  uploadLimit: {
    variable: "BERTH_UPLOAD_LIMIT",
    form: "<bytes>",
    help: "maximum size of an uploaded file",
    fallback: 512 * MEBIBYTE,
    parse: integer(1, 1_024 * 1_024 * MEBIBYTE),
  },
  sandbox: {
    variable: "BERTH_SANDBOX",
    form: "<engine>",
    help: "sandbox engine: bubblewrap, docker or kubernetes",
    fallback: "bubblewrap",
    parse: oneOf("bubblewrap", "docker", "kubernetes"),
  },
  rootfs: {
    variable: "BERTH_ROOTFS",
    form: "<system>",
    help: "operating system of sandboxes: debian, built by mmdebstrap, or host",
    fallback: "debian",
    parse: oneOf("debian", "host"),
  },
  systemDir: {
    variable: "BERTH_SYSTEM_DIR",
    form: "<dir>",
    help: "directory of the systems of sandboxes, which services of this machine can share",
    fallback: null,
    absent: "rootfs in the data directory",
    parse: nonEmpty,
    path: true,
  },
  debianMirror: {
    variable: "BERTH_DEBIAN_MIRROR",
    form: "<url>",
    help: "mirror of Debian from which the system of sandboxes is built, such as https://mirror.example/debian",
    fallback: null,
    absent: "the mirror that this machine uses",
    parse: httpUrl,
  },
  dockerSocket: {
    variable: "BERTH_DOCKER_SOCKET",
    form: "<path>",
    help: "socket of the docker engine",
    fallback: null,
    absent: "that of Docker, else that of Podman",
    parse: nonEmpty,
    path: true,
  },
  dockerImage: {
    variable: "BERTH_DOCKER_IMAGE",
    form: "<name>",
    help: "image of sandboxes with the docker engine",
    fallback: "berth-sandbox:latest",
    parse: nonEmpty,
  },
  kubeconfig: {
    variable: "BERTH_KUBECONFIG",
    form: "<path>",
    help: "kubeconfig of the cluster whose pods are the sandboxes",
    fallback: null,
    absent: "the service account of the pod in which Berth runs",
    parse: nonEmpty,
    path: true,
  },
  kubernetesNamespace: {
    variable: "BERTH_KUBERNETES_NAMESPACE",
    form: "<name>",
    help: "namespace of the pods and volumes of sessions",
    fallback: null,
    absent: "that of the kubeconfig, or of the pod in which Berth runs",
    parse: nonEmpty,
  },
  kubernetesImage: {
    variable: "BERTH_KUBERNETES_IMAGE",
    form: "<name>",
    help: "image of sandboxes with the kubernetes engine",
    fallback: "berth-sandbox:latest",
    parse: nonEmpty,
  },
  kubernetesStorageClass: {
    variable: "BERTH_KUBERNETES_STORAGE_CLASS",
    form: "<name>",
    help: "storage class of the volumes of sessions",
    fallback: null,
    absent: "the cluster's default",
    parse: nonEmpty,
  },
  kubernetesSnapshotClass: {
    variable: "BERTH_KUBERNETES_SNAPSHOT_CLASS",
    form: "<name>",
    help: "volume snapshot class for snapshots of repositories, from which the volumes of later sessions are made",
    fallback: null,
    absent: "none: every session clones",
    parse: nonEmpty,
  },
  kubernetesNodeSelector: {
    variable: "BERTH_KUBERNETES_NODE_SELECTOR",
    form: "<label=value,…>",
    shape: "list",
    help: "labels of the nodes on which sandboxes run",
    fallback: {},
    absent: "any",
    parse: nodeSelector,
  },
  kubernetesTolerations: {
    variable: "BERTH_KUBERNETES_TOLERATIONS",
    form: "<taint,…>",
    shape: "list",
    help: "taints of nodes that sandboxes tolerate, such as dedicated=sandboxes:NoSchedule",
    fallback: [],
    absent: "none",
    parse: tolerations,
  },
  kubernetesRuntimeClass: {
    variable: "BERTH_KUBERNETES_RUNTIME_CLASS",
    form: "<name>",
    help: "runtime class of the pods, such as gvisor",
    fallback: null,
    absent: "the cluster's default",
    parse: nonEmpty,
  },
  kubernetesRuntimeClasses: {
    variable: "BERTH_KUBERNETES_RUNTIME_CLASSES",
    form: "<name,…>",
    shape: "list",
    help: "runtime classes that environments may choose instead; each must isolate as strongly as your sessions need",
    fallback: [],
    absent: "none",
    parse: runtimeClasses,
  },
  kubernetesWarmPods: {
    variable: "BERTH_KUBERNETES_WARM_PODS",
    form: "<count>",
    help: "number of pods that are kept ready for new sessions; 0: none",
    fallback: 0,
    parse: integer(0, 1_000),
  },
  kubernetesScheduleSeconds: {
    variable: "BERTH_KUBERNETES_SCHEDULE_SECONDS",
    form: "<seconds>",
    help: "how long a session waits until its pod has a node",
    fallback: 600,
    parse: integer(1, 86_400),
  },
  kubernetesPullSeconds: {
    variable: "BERTH_KUBERNETES_PULL_SECONDS",
    form: "<seconds>",
    help: "how long a session waits until the node of its pod has the images and the volume",
    fallback: 600,
    parse: integer(1, 86_400),
  },
  kubernetesEgress: {
    variable: "BERTH_KUBERNETES_EGRESS",
    form: "<routes|proxy>",
    help: "how connections of pods reach the egress gateway: by routes, for which an init container needs NET_ADMIN; or by proxy variables, which only a NetworkPolicy enforces",
    fallback: "routes",
    parse: oneOf("routes", "proxy"),
  },
  kubernetesEgressImage: {
    variable: "BERTH_KUBERNETES_EGRESS_IMAGE",
    form: "<name>",
    help: "image of Berth, for the containers of pods that send connections to the egress gateway",
    fallback: "berth:latest",
    parse: nonEmpty,
  },
  kubernetesPodPatch: {
    variable: "BERTH_KUBERNETES_POD_PATCH",
    form: "<path>",
    help: "file with a strategic merge patch for every pod, in YAML or JSON",
    fallback: null,
    absent: "none",
    parse: nonEmpty,
    path: true,
  },
  npmRegistry: {
    variable: "BERTH_NPM_REGISTRY",
    form: "<url>",
    help: "registry for npm packages of environments",
    fallback: null,
    absent: "the public npm registry",
    parse: httpsUrl,
  },
  pipIndex: {
    variable: "BERTH_PIP_INDEX",
    form: "<url>",
    help: "index for pip packages of environments",
    fallback: null,
    absent: "PyPI",
    parse: httpsUrl,
  },
  runtimesFile: {
    variable: "BERTH_RUNTIMES_FILE",
    form: "<path>",
    help: "JSON file with sources of runtimes, in place of Berth's own for the runtimes that it names",
    fallback: null,
    absent: "the npm registry and Debian",
    parse: nonEmpty,
    path: true,
  },
  organizationLimits: {
    variable: "BERTH_ORGANIZATION_LIMITS",
    form: "<list>",
    shape: "list",
    help: `limits of each organization, such as open_sessions=500,disk_bytes=none: ${LIMIT_NAMES.join(", ")}; none: no limits`,
    fallback: {},
    absent:
      "requests_per_second=1000,request_burst=10000,open_sessions=50000, and 1 TB of files and of disks, or a third of their volume",
    parse: ownerLimits,
  },
  userLimits: {
    variable: "BERTH_USER_LIMITS",
    form: "<list>",
    shape: "list",
    help: "limits of each user and service account, by the same names",
    fallback: {},
    absent:
      "requests_per_second=300,request_burst=3000,open_sessions=20000, and 500 GB of files and of disks, or a third of their volume",
    parse: ownerLimits,
  },
  retention: {
    variable: "BERTH_RETENTION_DAYS",
    form: "<list>",
    shape: "list",
    help: `days after which an organization's old objects are deleted, such as sessions=90,files=30: ${RETAINED_NAMES.join(", ")}`,
    fallback: {},
    absent: "they are kept forever",
    parse: retention,
  },
  addressLimits: {
    variable: "BERTH_ADDRESS_LIMITS",
    form: "<list>",
    shape: "list",
    help: "limits of each client address for requests with unknown tokens, such as requests_per_second=5,request_burst=20; none: no limit",
    fallback: { requests_per_second: 50, request_burst: 1_000 },
    absent: "requests_per_second=50,request_burst=1000",
    parse: addressLimits,
  },
  metricsAddress: {
    variable: "BERTH_METRICS_ADDRESS",
    form: "<address>:<port>",
    help: "separate address and port for /metrics, which is then served only there",
    fallback: null,
    absent: "where the service listens",
    parse: ownAddress,
  },
  runnerAddress: {
    variable: "BERTH_RUNNER_ADDRESS",
    form: "<address>:<port>",
    help: "where a service with the role runner or egress listens, only for /livez, /readyz and /metrics",
    fallback: "127.0.0.1:4181",
    parse: ownAddress,
  },
  egressAddress: {
    variable: "BERTH_EGRESS_ADDRESS",
    form: "<address>:<port>",
    help: "where a service with the role egress listens for the tunnels of sandboxes",
    fallback: "127.0.0.1:4182",
    parse: ownAddress,
  },
  egressGateway: {
    variable: "BERTH_EGRESS_GATEWAY",
    form: "<host>:<port>",
    help: "address at which sandboxes of the kubernetes engine reach the services with the role egress",
    fallback: null,
    absent: "none: sandboxes reach nothing",
    parse: otherAddress,
  },
  metricsPublic: {
    variable: "BERTH_METRICS_PUBLIC",
    form: "<yes|no>",
    help: "whether other machines and proxies may read /metrics without a token",
    fallback: "no",
    parse: oneOf("yes", "no"),
  },
  accessLog: {
    variable: "BERTH_ACCESS_LOG",
    form: "<on|off>",
    help: "whether the log has a line for each request",
    fallback: "on",
    parse: oneOf("on", "off"),
  },
  logLevel: {
    variable: "BERTH_LOG_LEVEL",
    form: "<level>",
    help: "debug, info, warn, error or silent",
    fallback: "info",
    parse: oneOf("debug", "info", "warn", "error", "silent"),
  },
};

/** The settings in the order of the documentation. */
export const SETTING_LIST: ReadonlyArray<[key: keyof Config, setting: Setting<unknown>]> = Object.entries(
  SETTINGS,
) as Array<[keyof Config, Setting<unknown>]>;

/** The variable that names the settings file. */
export const CONFIG_VARIABLE = "BERTH_CONFIG";

/** Returns the variables of a setting: its own, and for a secret that of a file with the value. */
export function variablesOfSetting({ variable, secret }: Setting<unknown>): string[] {
  return secret === true ? [variable, `${variable}_FILE`] : [variable];
}

/** Returns the flag of a variable: `--data-dir` for `BERTH_DATA_DIR`. */
export function flagOf(variable: string): string {
  return `--${keyOf(variable).replaceAll("_", "-")}`;
}

/** Returns the key of a variable in the settings file: `data_dir` for `BERTH_DATA_DIR`. */
export function keyOf(variable: string): string {
  return variable.replace(/^BERTH_/, "").toLowerCase();
}

/** Returns the default of a setting in words. */
export function defaultOf({ fallback, absent }: Setting<unknown>): string {
  return absent ?? (Array.isArray(fallback) ? fallback.join(",") : String(fallback));
}

/** A flag of `berth serve`, with its help. */
export interface SettingFlag {
  flag: string;
  form: string;
  help: string;
}

/** All flags of `berth serve`, with their help. */
export const SETTING_FLAGS: readonly SettingFlag[] = SETTING_LIST.flatMap(([, setting]) => {
  const { variable, form, help, secret } = setting;
  const own = { flag: flagOf(variable), form, help: `${help}; default: ${defaultOf(setting)}` };
  const file = {
    flag: flagOf(`${variable}_FILE`),
    form: "<file>",
    help: `file that contains the value of ${flagOf(variable)}`,
  };
  return secret === true ? [own, file] : [own];
});

/** Returns the settings with their variables and values. */
export function variablesOf(config: Config): Array<[key: keyof Config, variable: string, value: unknown]> {
  return SETTING_LIST.map(([key, { variable }]) => [key, variable, config[key]]);
}

function directHosts(text: string): string[] {
  const direct = list(text);
  new OutgoingProxies({ direct });
  return direct;
}

function privateHosts(text: string): string[] {
  const hosts = list(text);
  createAddressGuard(hosts);
  return hosts;
}
