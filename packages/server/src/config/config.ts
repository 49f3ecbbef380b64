import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createAddressGuard } from "@berth/egress";
import { type GitCaFile, parseGitCaFiles, parseHttpHosts } from "./git-settings.ts";
import { type HostedProvider, parseHostedProviders } from "./provider-settings.ts";

/** Everything that an operator can set. Read once at start; nothing else looks at the environment. */
export interface Config {
  /** All state lives here. */
  dataDir: string;
  host: string;
  /** 0: a free one. */
  port: number;
  /** Null: the embedded PostgreSQL. */
  databaseUrl: string | null;
  /** Directory of the PostgreSQL programs; null: those that came with Berth. */
  pgBin: string | null;
  /** Null: `secret.key` in the data directory, made at the first start. */
  secretKeyFile: string | null;
  modelsFile: string | null;
  hostedProviders: HostedProvider[];
  /** Own authorities of other git servers. */
  gitCaFiles: GitCaFile[];
  /** Git servers that repositories may be cloned from over http, with their port where it is not 80. */
  gitHttpHosts: string[];
  /** Hosts or networks on private addresses that sessions may reach when their policy names them, and that MCP servers may be on. */
  egressAllowPrivate: string[];
  diskReclaimSeconds: number;
  /** MiB that a session may take on its disk whose environment says nothing, where the machine can enforce it; 0 for no limit. */
  sessionDiskMb: number;
  /** How long a session's sandbox stays open after its last command. */
  sandboxIdleSeconds: number;
  /** Mebibytes that mirrors and templates of repositories may take; 0: none are made. */
  snapshotsMegabytes: number;
  /** Days without use after which one of them goes. */
  snapshotsDays: number;
  /** Bytes of a JSON body. */
  jsonLimit: number;
  /** Bytes of an uploaded file. */
  uploadLimit: number;
  sandbox: "bubblewrap" | "docker";
  /** What sandboxes have as their system: Berth's own Debian, or what the host has. */
  rootfs: "debian" | "host";
  /** Unix socket of the container engine; null: Docker's, or else Podman's. */
  dockerSocket: string | null;
  /** Image of the sandboxes whose environment names none. */
  dockerImage: string;
  /** Where packages of environments come from; null: the public registry. */
  npmRegistry: string | null;
  pipIndex: string | null;
  logLevel: "debug" | "info" | "warn" | "error" | "silent";
}

/** Where the systems of sandboxes lie. */
export function systemDirectory({ dataDir }: Config): string {
  return join(dataDir, "rootfs");
}

/** Where what environments add to those systems lies. */
export function layerDirectory({ dataDir }: Config): string {
  return join(dataDir, "layers");
}

/** Where the contents of files lie. */
export function blobDirectory({ dataDir }: Config): string {
  return join(dataDir, "blobs");
}

/** Every fault of the settings, told at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The settings are not valid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

interface Setting<T> {
  variable: string;
  fallback: T;
  parse(text: string): T;
  /** May also be given as the name of a file, in `<variable>_FILE`. */
  secret?: true;
}

type Settings = { [Key in keyof Config]: Setting<Config[Key]> };

const mebibyte = 1_048_576;
const defaultProvider: HostedProvider = {
  host: "github.com",
  api: "https://api.github.com",
  token_env: ["GH_TOKEN"],
  ca_file: null,
};

const settings: Settings = {
  dataDir: { variable: "BERTH_DATA_DIR", fallback: ".berth", parse: nonEmpty },
  host: { variable: "BERTH_HOST", fallback: "127.0.0.1", parse: nonEmpty },
  port: { variable: "BERTH_PORT", fallback: 4180, parse: integer(0, 65_535) },
  databaseUrl: { variable: "BERTH_DATABASE_URL", fallback: null, parse: databaseUrl, secret: true },
  pgBin: { variable: "BERTH_PG_BIN", fallback: null, parse: nonEmpty },
  secretKeyFile: { variable: "BERTH_SECRET_KEY_FILE", fallback: null, parse: nonEmpty },
  modelsFile: { variable: "BERTH_MODELS_FILE", fallback: null, parse: nonEmpty },
  hostedProviders: {
    variable: "BERTH_HOSTED_PROVIDERS",
    fallback: [defaultProvider],
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
  sandboxIdleSeconds: {
    variable: "BERTH_SANDBOX_IDLE_SECONDS",
    fallback: 60,
    parse: integer(0, 86_400),
  },
  snapshotsMegabytes: {
    variable: "BERTH_TEMPLATES_MB",
    fallback: 20_480,
    parse: integer(0, 1_024 * 1_024 * 1_024),
  },
  snapshotsDays: { variable: "BERTH_TEMPLATES_DAYS", fallback: 14, parse: integer(1, 3_650) },
  jsonLimit: { variable: "BERTH_JSON_LIMIT", fallback: 4 * mebibyte, parse: integer(1_024, 32 * mebibyte) },
  uploadLimit: {
    variable: "BERTH_UPLOAD_LIMIT",
    fallback: 512 * mebibyte,
    parse: integer(1, 1_024 * 1_024 * mebibyte),
  },
  sandbox: { variable: "BERTH_SANDBOX", fallback: "bubblewrap", parse: oneOf("bubblewrap", "docker") },
  rootfs: { variable: "BERTH_ROOTFS", fallback: "debian", parse: oneOf("debian", "host") },
  dockerSocket: { variable: "BERTH_DOCKER_SOCKET", fallback: null, parse: nonEmpty },
  dockerImage: { variable: "BERTH_DOCKER_IMAGE", fallback: "berth-sandbox:latest", parse: nonEmpty },
  npmRegistry: { variable: "BERTH_NPM_REGISTRY", fallback: null, parse: httpsAddress },
  pipIndex: { variable: "BERTH_PIP_INDEX", fallback: null, parse: httpsAddress },
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

/** The variables, in the order of the documentation. */
export const variables: readonly string[] = Object.values(settings).map(({ variable }) => variable);

/**
 * Reads the settings: a flag wins over a variable, a variable over its file. Relative paths are taken from `cwd`.
 *
 * @param flags by name without the dashes, as `data-dir`.
 * @throws ConfigError with every fault.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | undefined>> = {},
  cwd: string = process.cwd(),
): Config {
  const faults: string[] = [];
  const entries = Object.entries(settings).map(([key, setting]: [string, Setting<unknown>]) => {
    try {
      const text = given(setting, environment, flags);
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

function given(
  { variable, secret }: Setting<unknown>,
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const flag = flagOf(variable).slice(2);
  const direct = flags[flag] ?? environment[variable];
  if (direct !== undefined || secret !== true) return direct;
  const file = flags[`${flag}-file`] ?? environment[`${variable}_FILE`];
  return file === undefined ? undefined : readFileSync(file, "utf8").trim();
}

function nonEmpty(text: string): string {
  if (text === "") throw new Error("must not be empty");
  return text;
}

function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new Error(`must be an integer from ${minimum} to ${maximum}`);
  };
}

/** As `disk_mb` of an environment, or 0. */
function diskMb(text: string): number {
  const value = integer(0, 1_048_576)(text);
  if (value === 0 || value >= 64) return value;
  throw new Error("must be 0 or at least 64");
}

function oneOf<const Value extends string>(...values: Value[]): (text: string) => Value {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new Error(`must be one of ${values.join(", ")}`);
    return value;
  };
}

/** Agents can read it, so that it has no login in it. */
function httpsAddress(text: string): string {
  const url = URL.parse(text);
  if (
    url?.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    !/['\s]/.test(text)
  )
    return text;
  throw new Error("must be an https address without a login");
}

function list(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function privateHosts(text: string): string[] {
  const entries = list(text);
  createAddressGuard(entries);
  return entries;
}

/** The value may hold a password, so that no message repeats it. */
function databaseUrl(text: string): string {
  if (/^postgres(ql)?:\/\/\S+$/.test(text)) return text;
  throw new Error("must be of the form postgres://user@host:port/database");
}
