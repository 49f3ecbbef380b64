import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createAddressGuard } from "@berth/egress";
import {
  type GitCaFile,
  type HostedProvider,
  parseGitCaFiles,
  parseHostedProviders,
  parseHttpHosts,
} from "./git-settings.ts";
import {
  blobs,
  cpus,
  databaseUrl,
  diskMb,
  httpsUrl,
  integer,
  list,
  listeningPort,
  nonEmpty,
  oneOf,
  waits,
} from "./parsers.ts";

/** All settings of the operator. They are read once, at the start; no other code reads `BERTH_` variables. */
export interface Config {
  /** Directory of all state. */
  dataDir: string;
  host: string;
  /** 0: any free port. */
  port: number;
  /** Null: the embedded PostgreSQL. */
  databaseUrl: string | null;
  /** Directory of the PostgreSQL programs; null: those of the npm package. */
  pgBin: string | null;
  /** Null: `secret.key` in the data directory, created at the first start. */
  secretKeyFile: string | null;
  /** Where the contents of files are: a directory that the services of one database share, or `disk`, the data directory. */
  blobs: string;
  /** Null: the models that are detected on this machine. */
  modelsFile: string | null;
  hostedProviders: HostedProvider[];
  /** CA certificates of other git servers. */
  gitCaFiles: GitCaFile[];
  /** Git servers that may be cloned from over HTTP, with the port if it is not 80. */
  gitHttpHosts: string[];
  /** Hosts or networks with private addresses that MCP servers, and sessions whose policy lists them, may use. */
  egressAllowPrivate: string[];
  /** Idle time after which a session's container and disk are removed. */
  diskReclaimSeconds: number;
  /** Disk limit in MiB of sessions whose environment sets none, if the machine can enforce it; 0: no limit. */
  sessionDiskMb: number;
  /** The most that an environment can ask for; null: what the machine allows. See `readCeilings`. */
  maxCpus: number | null;
  maxMemoryMb: number | null;
  maxPids: number | null;
  maxDiskMb: number | null;
  /** How long a sandbox stays open after its last command. */
  sandboxIdleSeconds: number;
  /** How long sessions wait for the host that has their disk when it is not there; then another takes them over without it. */
  hostGraceSeconds: number;
  /** Seconds to wait before each retry of a clone that failed for a reason that passes. */
  cloneRetrySeconds: number[];
  /** Disk space in MiB for mirrors and snapshots of repositories; 0: none are created. */
  snapshotsMegabytes: number;
  /** Days after which an unused mirror or snapshot is removed. */
  snapshotsDays: number;
  /** Maximum bytes of a JSON body. */
  jsonLimit: number;
  /** Maximum bytes of an uploaded file. */
  uploadLimit: number;
  sandbox: "bubblewrap" | "docker";
  /** Root filesystem of bubblewrap sandboxes: Berth's own Debian, or the host's. */
  rootfs: "debian" | "host";
  /** Unix socket of the container engine; null: Docker's, else Podman's. */
  dockerSocket: string | null;
  /** Image of containers whose environment sets none. */
  dockerImage: string;
  /** Registry for npm packages of environments; null: the public one. */
  npmRegistry: string | null;
  /** Index for pip packages of environments; null: PyPI. */
  pipIndex: string | null;
  /** Whether `/metrics` needs no token. */
  metricsPublic: "yes" | "no";
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
}

/** Directory of Berth's root filesystems. */
export function systemDirectory({ dataDir }: Config): string {
  return join(dataDir, "rootfs");
}

/** Directory of the layers that environments add to the root filesystem. */
export function layerDirectory({ dataDir }: Config): string {
  return join(dataDir, "layers");
}

/** Directory of the contents of files. */
export function blobDirectory({ dataDir, blobs }: Pick<Config, "dataDir" | "blobs">): string {
  return blobs === "disk" ? join(dataDir, "blobs") : blobs;
}

/** All faults of the settings together. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The settings are not valid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Setting<T> {
  variable: string;
  fallback: T;
  parse(text: string): T;
  /** The value may also be in a file, named by `<variable>_FILE`. */
  secret?: true;
}

type Settings = { [Key in keyof Config]: Setting<Config[Key]> };

const MEBIBYTE = 1_048_576;
const DEFAULT_PROVIDER: HostedProvider = {
  host: "github.com",
  api: "https://api.github.com",
  token_env: ["GH_TOKEN"],
  ca_file: null,
};

const SETTINGS: Settings = {
  dataDir: { variable: "BERTH_DATA_DIR", fallback: ".berth", parse: nonEmpty },
  host: { variable: "BERTH_HOST", fallback: "127.0.0.1", parse: nonEmpty },
  port: { variable: "BERTH_PORT", fallback: 4180, parse: listeningPort },
  databaseUrl: { variable: "BERTH_DATABASE_URL", fallback: null, parse: databaseUrl, secret: true },
  pgBin: { variable: "BERTH_PG_BIN", fallback: null, parse: nonEmpty },
  secretKeyFile: { variable: "BERTH_SECRET_KEY_FILE", fallback: null, parse: nonEmpty },
  blobs: { variable: "BERTH_BLOBS", fallback: "disk", parse: blobs },
  modelsFile: { variable: "BERTH_MODELS_FILE", fallback: null, parse: nonEmpty },
  hostedProviders: {
    variable: "BERTH_HOSTED_PROVIDERS",
    fallback: [DEFAULT_PROVIDER],
    parse: parseHostedProviders,
  },
  gitCaFiles: { variable: "BERTH_GIT_CA_FILES", fallback: [], parse: parseGitCaFiles },
  gitHttpHosts: { variable: "BERTH_GIT_HTTP_HOSTS", fallback: [], parse: parseHttpHosts },
  egressAllowPrivate: { variable: "BERTH_EGRESS_ALLOW_PRIVATE", fallback: [], parse: privateHosts },
  diskReclaimSeconds: {
    variable: "BERTH_DISK_RECLAIM_SECONDS",
    fallback: 86_400,
    parse: integer(1, 31_536_000),
  },
  sessionDiskMb: { variable: "BERTH_SESSION_DISK_MB", fallback: 10_240, parse: diskMb },
  maxCpus: { variable: "BERTH_MAX_CPUS", fallback: null, parse: cpus },
  maxMemoryMb: { variable: "BERTH_MAX_MEMORY_MB", fallback: null, parse: integer(64, 1_048_576) },
  maxPids: { variable: "BERTH_MAX_PIDS", fallback: null, parse: integer(16, 1_000_000) },
  maxDiskMb: { variable: "BERTH_MAX_DISK_MB", fallback: null, parse: integer(64, 1_048_576) },
  sandboxIdleSeconds: {
    variable: "BERTH_SANDBOX_IDLE_SECONDS",
    fallback: 60,
    parse: integer(0, 86_400),
  },
  hostGraceSeconds: {
    variable: "BERTH_HOST_GRACE_SECONDS",
    fallback: 120,
    parse: integer(1, 86_400),
  },
  cloneRetrySeconds: { variable: "BERTH_CLONE_RETRY_SECONDS", fallback: [1, 2, 4, 8, 16], parse: waits },
  snapshotsMegabytes: {
    variable: "BERTH_TEMPLATES_MB",
    fallback: 20_480,
    parse: integer(0, 1_024 * 1_024 * 1_024),
  },
  snapshotsDays: { variable: "BERTH_TEMPLATES_DAYS", fallback: 14, parse: integer(1, 3_650) },
  jsonLimit: { variable: "BERTH_JSON_LIMIT", fallback: 4 * MEBIBYTE, parse: integer(1_024, 32 * MEBIBYTE) },
  uploadLimit: {
    variable: "BERTH_UPLOAD_LIMIT",
    fallback: 512 * MEBIBYTE,
    parse: integer(1, 1_024 * 1_024 * MEBIBYTE),
  },
  sandbox: { variable: "BERTH_SANDBOX", fallback: "bubblewrap", parse: oneOf("bubblewrap", "docker") },
  rootfs: { variable: "BERTH_ROOTFS", fallback: "debian", parse: oneOf("debian", "host") },
  dockerSocket: { variable: "BERTH_DOCKER_SOCKET", fallback: null, parse: nonEmpty },
  dockerImage: { variable: "BERTH_DOCKER_IMAGE", fallback: "berth-sandbox:latest", parse: nonEmpty },
  npmRegistry: { variable: "BERTH_NPM_REGISTRY", fallback: null, parse: httpsUrl },
  pipIndex: { variable: "BERTH_PIP_INDEX", fallback: null, parse: httpsUrl },
  metricsPublic: { variable: "BERTH_METRICS_PUBLIC", fallback: "no", parse: oneOf("yes", "no") },
  logLevel: {
    variable: "BERTH_LOG_LEVEL",
    fallback: "info",
    parse: oneOf("debug", "info", "warn", "error", "silent"),
  },
};

/** The flag of a variable: `--data-dir` for `BERTH_DATA_DIR`. */
export function flagOf(variable: string): string {
  return `--${variable
    .replace(/^BERTH_/, "")
    .toLowerCase()
    .replaceAll("_", "-")}`;
}

/** The settings with their variables. */
export function variablesOf(config: Config): Array<[key: keyof Config, variable: string, value: unknown]> {
  const keys = Object.keys(SETTINGS) as Array<keyof Config>;
  return keys.map((key) => [key, SETTINGS[key].variable, config[key]]);
}

/** All variables of the service, in the order of the documentation. */
export const VARIABLES: readonly string[] = Object.values(SETTINGS).map(({ variable }) => variable);

/** Variables of the command line client. */
const CLIENT_VARIABLES = ["BERTH_URL", "BERTH_TOKEN", "BERTH_TOKEN_FILE", "BERTH_MODEL"];
const KNOWN_VARIABLES = new Set([...VARIABLES, ...CLIENT_VARIABLES, "BERTH_DATABASE_URL_FILE"]);

/** Returns `BERTH_` variables that are not settings, such as misspelled ones. */
export function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment).filter((name) => name.startsWith("BERTH_") && !KNOWN_VARIABLES.has(name));
}

/**
 * Reads the settings. A flag takes precedence over a variable, also one that names a file, and a variable over its file. Paths are relative to `cwd`.
 *
 * @param flags by name without dashes, such as `data-dir`.
 * @throws ConfigError with all faults.
 */
export function readConfig(
  environment: Environment,
  flags: Environment = {},
  cwd: string = process.cwd(),
): Config {
  const faults: string[] = [];
  const entries = Object.entries(SETTINGS).map(([key, setting]: [string, Setting<unknown>]) => {
    try {
      const text = textOf(setting, environment, flags);
      return [key, text === undefined ? setting.fallback : setting.parse(text)];
    } catch (error) {
      faults.push(`${setting.variable} (${flagOf(setting.variable)}): ${(error as Error).message}`);
      return [key, setting.fallback];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
  const config = Object.fromEntries(entries) as Config;
  const path = (name: string | null) => (name === null ? null : resolve(cwd, name));
  return {
    ...config,
    dataDir: resolve(cwd, config.dataDir),
    secretKeyFile: path(config.secretKeyFile),
    dockerSocket: path(config.dockerSocket),
    modelsFile: path(config.modelsFile),
  };
}

function textOf(
  { variable, secret }: Setting<unknown>,
  environment: Environment,
  flags: Environment,
): string | undefined {
  const flag = flagOf(variable).slice(2);
  if (secret !== true) return flags[flag] ?? environment[variable];
  if (flags[flag] !== undefined && flags[`${flag}-file`] !== undefined)
    throw new Error(`--${flag}-file cannot be used with it`);
  const inFile = (file: string | undefined) =>
    file === undefined ? undefined : readFileSync(file, "utf8").trim();
  return (
    flags[flag] ??
    inFile(flags[`${flag}-file`]) ??
    environment[variable] ??
    inFile(environment[`${variable}_FILE`])
  );
}

function privateHosts(text: string): string[] {
  const hosts = list(text);
  createAddressGuard(hosts);
  return hosts;
}
