import type { Environment, environmentRoutes, Input } from "@berth/contract";

type Body = Input<typeof environmentRoutes.create>["body"];
type Given = NonNullable<NonNullable<Body["config"]>["networking"]>;
type Networking = Environment["config"]["networking"];
type Config = Environment["config"];
type Resources = Environment["resources"];

/** Without a word, a session reaches its own repositories' hosts and nothing else. */
const defaultNetworking: Extract<Networking, { type: "limited" }> = {
  type: "limited",
  allowed_hosts: [],
  allow_package_managers: false,
  allow_mcp_servers: false,
};

const noPackages: Config["packages"] = { apt: [], npm: [], pip: [] };

const defaultResources: Resources = { cpus: 2, memory_mb: 4_096, pids: 512, disk_mb: null };

const defaultConfig: Config = {
  type: "cloud",
  networking: defaultNetworking,
  packages: noPackages,
  setup_script: null,
};

/** What is given laid over `former`: what is left out stays, null is the default. */
export function resolveConfig(given: Body["config"], former: Config = defaultConfig): Config {
  if (given === undefined) return former;
  if (given === null) return defaultConfig;
  const script = given.setup_script === undefined ? former.setup_script : given.setup_script;
  return {
    type: "cloud",
    networking: resolveNetworking(given.networking, former.networking),
    packages: resolvePackages(given.packages, former.packages),
    setup_script: script || null,
  };
}

function resolvePackages(
  given: NonNullable<Body["config"]>["packages"],
  former: Config["packages"],
): Config["packages"] {
  if (given === undefined) return former;
  if (given === null) return noPackages;
  const list = (name: keyof Config["packages"]) =>
    given[name] === undefined ? former[name] : (given[name] ?? []);
  return { apt: list("apt"), npm: list("npm"), pip: list("pip") };
}

/** What is given laid over `former` in the same way. */
function resolveNetworking(given: Given | null | undefined, former: Networking): Networking {
  if (given === undefined) return former;
  if (given === null) return defaultNetworking;
  if (given.type === "unrestricted") return { type: "unrestricted" };
  const kept = former.type === "limited" ? former : defaultNetworking;
  const hosts = given.allowed_hosts === undefined ? kept.allowed_hosts : (given.allowed_hosts ?? []);
  const allows = (name: "allow_package_managers" | "allow_mcp_servers"): boolean =>
    given[name] === undefined ? kept[name] : (given[name] ?? defaultNetworking[name]);
  return {
    type: "limited",
    allowed_hosts: hosts.map((host) => host.toLowerCase()),
    allow_package_managers: allows("allow_package_managers"),
    allow_mcp_servers: allows("allow_mcp_servers"),
  };
}

/** Limits laid over `former` in the same way. */
export function resolveResources(given: Body["resources"], former: Resources = defaultResources): Resources {
  if (given === undefined) return former;
  if (given === null) return defaultResources;
  const limit = <Name extends keyof Resources>(name: Name): Resources[Name] =>
    given[name] === undefined ? former[name] : (given[name] ?? defaultResources[name]);
  return {
    cpus: limit("cpus"),
    memory_mb: limit("memory_mb"),
    pids: limit("pids"),
    disk_mb: limit("disk_mb"),
  };
}
