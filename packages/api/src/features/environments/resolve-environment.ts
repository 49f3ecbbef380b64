import {
  type AskedRuntimes,
  type Environment,
  type environmentRoutes,
  type Input,
  type ResolvedRuntime,
  RUNTIMES,
} from "@berth/contract";
import type { EnvironmentRules } from "./require-allowed.ts";

type Body = Input<typeof environmentRoutes.create>["body"];
type Given = NonNullable<NonNullable<Body["config"]>["networking"]>;
type Networking = Environment["config"]["networking"];
type Config = Environment["config"];
type Resources = Environment["resources"];

/** Default networking: a session reaches only the hosts of its own repositories. */
const DEFAULT_NETWORKING: Extract<Networking, { type: "limited" }> = {
  type: "limited",
  allowed_hosts: [],
  allow_package_managers: false,
  allow_mcp_servers: false,
};

const NO_PACKAGES: Config["packages"] = { apt: [], npm: [], pip: [] };

export const DEFAULT_WORKSPACE: Environment["workspace"] = "persistent";

type LimitRules = Pick<EnvironmentRules, "ceilings" | "usualPids">;

const DEFAULT_LIMITS = { cpus: 2, memory_mb: 4_096 };

const DEFAULT_CONFIG: Config = {
  type: "cloud",
  networking: DEFAULT_NETWORKING,
  packages: NO_PACKAGES,
  runtimes: {},
  resolved_runtimes: [],
  setup_script: null,
  repository_setup_script: null,
  repository_setup_required: false,
};

/**
 * Returns `former` with the given fields. An omitted field is kept; null restores the default.
 *
 * @param resolved The versions that the request's `runtimes` mean.
 */
export function resolveConfig(
  given: Body["config"],
  resolved: readonly ResolvedRuntime[],
  former: Config = DEFAULT_CONFIG,
): Config {
  if (given === undefined) return former;
  if (given === null) return DEFAULT_CONFIG;
  const script = (name: "setup_script" | "repository_setup_script") =>
    (given[name] === undefined ? former[name] : given[name]) || null;
  const required =
    given.repository_setup_required === undefined
      ? former.repository_setup_required
      : given.repository_setup_required;
  return {
    type: "cloud",
    networking: resolveNetworking(given.networking, former.networking),
    packages: resolvePackages(given.packages, former.packages),
    ...resolveRuntimes(given.runtimes, resolved, former),
    setup_script: script("setup_script"),
    repository_setup_script: script("repository_setup_script"),
    repository_setup_required: required ?? DEFAULT_CONFIG.repository_setup_required,
  };
}

/** Returns the runtimes that a request asks a version of by name. */
export function askedRuntimes(config: Body["config"]): AskedRuntimes {
  if (config?.runtimes === "auto") return {};
  const named = Object.entries(config?.runtimes ?? {}).filter(([, version]) => version != null);
  return Object.fromEntries(named) as AskedRuntimes;
}

/** The versions of runtimes that the request does not name stay as they are. */
function resolveRuntimes(
  given: NonNullable<Body["config"]>["runtimes"],
  resolved: readonly ResolvedRuntime[],
  former: Config,
): Pick<Config, "runtimes" | "resolved_runtimes"> {
  if (given === undefined) return { runtimes: former.runtimes, resolved_runtimes: former.resolved_runtimes };
  if (given === null) return { runtimes: {}, resolved_runtimes: [] };
  if (given === "auto") return { runtimes: "auto", resolved_runtimes: [] };
  const kept = former.resolved_runtimes.filter(({ runtime }) => given[runtime] === undefined);
  const all = RUNTIMES.flatMap(
    (name) => [...kept, ...resolved].find(({ runtime }) => runtime === name) ?? [],
  );
  return {
    runtimes: Object.fromEntries(all.map(({ runtime, requested }) => [runtime, requested])),
    resolved_runtimes: all,
  };
}

function resolvePackages(
  given: NonNullable<Body["config"]>["packages"],
  former: Config["packages"],
): Config["packages"] {
  if (given === undefined) return former;
  if (given === null) return NO_PACKAGES;
  const list = (name: keyof Config["packages"]) =>
    given[name] === undefined ? former[name] : (given[name] ?? []);
  return { apt: list("apt"), npm: list("npm"), pip: list("pip") };
}

function resolveNetworking(given: Given | null | undefined, former: Networking): Networking {
  if (given === undefined) return former;
  if (given === null) return DEFAULT_NETWORKING;
  if (given.type === "unrestricted") return { type: "unrestricted" };
  const kept = former.type === "limited" ? former : DEFAULT_NETWORKING;
  const hosts = given.allowed_hosts === undefined ? kept.allowed_hosts : (given.allowed_hosts ?? []);
  const allows = (name: "allow_package_managers" | "allow_mcp_servers"): boolean =>
    given[name] === undefined ? kept[name] : (given[name] ?? DEFAULT_NETWORKING[name]);
  return {
    type: "limited",
    allowed_hosts: hosts.map((host) => host.toLowerCase()),
    allow_package_managers: allows("allow_package_managers"),
    allow_mcp_servers: allows("allow_mcp_servers"),
  };
}

/** Resolves limits by the rule of `resolveConfig`. Defaults never exceed the ceilings. */
export function resolveResources(
  given: Body["resources"],
  rules: LimitRules,
  former: Resources = defaultResources(rules),
): Resources {
  const defaults = defaultResources(rules);
  if (given === undefined) return former;
  if (given === null) return defaults;
  const limit = <Name extends keyof Resources>(name: Name): Resources[Name] =>
    given[name] === undefined ? former[name] : (given[name] ?? defaults[name]);
  return {
    cpus: limit("cpus"),
    memory_mb: limit("memory_mb"),
    pids: limit("pids"),
    disk_mb: limit("disk_mb"),
  };
}

function defaultResources({ ceilings, usualPids }: LimitRules): Resources {
  return {
    cpus: Math.min(DEFAULT_LIMITS.cpus, ceilings.cpus),
    memory_mb: Math.min(DEFAULT_LIMITS.memory_mb, ceilings.memory_mb),
    pids: Math.min(usualPids, ceilings.pids),
    disk_mb: null,
  };
}
