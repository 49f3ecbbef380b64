import type { Environment } from "@berth/sdk";
import { type IdentityFields, identityFields, identityOf } from "../../format/git-identity.ts";
import { changedFields, type Pair, pairsOf, patchOf, recordOf, repeated } from "../../format/pairs.ts";
import { FormFault } from "../../ui/use-save.ts";

export const MANAGERS = ["apt", "npm", "pip"] as const;
export type Manager = (typeof MANAGERS)[number];

/** Titles of the runtimes, in the order of the API. */
export const RUNTIMES = {
  node: "Node.js",
  python: "Python",
  go: "Go",
  rust: "Rust",
  java: "Java",
  bun: "Bun",
  deno: "Deno",
  pnpm: "pnpm",
  yarn: "Yarn",
  uv: "uv",
} as const;
export type RuntimeName = keyof typeof RUNTIMES;

export const LIMITS = ["cpus", "memory_mb", "pids", "disk_mb"] as const;
export type Limit = (typeof LIMITS)[number];

export type EnvironmentForm = IdentityFields & {
  /** The environment as it was when the form was opened; null for a new one. */
  base: Environment | null;
  name: string;
  description: string;
  networking: "limited" | "unrestricted";
  /** The allowed hosts, one a line. */
  hosts: string;
  packageManagers: boolean;
  mcpServers: boolean;
  /** Package names, separated by spaces or lines. */
  packages: Record<Manager, string>;
  /** Versions of runtimes; absent or empty for none. */
  runtimes: Partial<Record<RuntimeName, string>>;
  /** Whether sessions choose their runtimes from their repositories instead. */
  runtimesAuto: boolean;
  setupScript: string;
  repositoryScript: string;
  repositoryScriptRequired: boolean;
  variables: Pair[];
  /** The limits; empty for the default. */
  limits: Record<Limit, string>;
  credentials: "inject" | "proxy";
  image: string;
  runtimeClass: string;
  workspace: Environment["workspace"];
  /** Seconds; empty for the default. */
  keepAlive: string;
  metadata: Pair[];
};

export const EMPTY_FORM: EnvironmentForm = {
  base: null,
  name: "",
  description: "",
  networking: "limited",
  hosts: "",
  packageManagers: false,
  mcpServers: false,
  packages: { apt: "", npm: "", pip: "" },
  runtimes: {},
  runtimesAuto: false,
  setupScript: "",
  repositoryScript: "",
  repositoryScriptRequired: false,
  variables: [],
  limits: { cpus: "", memory_mb: "", pids: "", disk_mb: "" },
  credentials: "inject",
  ...identityFields(null),
  image: "",
  runtimeClass: "",
  workspace: "persistent",
  keepAlive: "",
  metadata: [],
};

/** Returns the form that produces this environment. */
export function formOf(environment: Environment): EnvironmentForm {
  const { config, resources } = environment;
  const { networking, packages } = config;
  const limited = networking.type === "limited" ? networking : null;
  return {
    base: environment,
    name: environment.name,
    description: environment.description ?? "",
    networking: networking.type,
    hosts: limited?.allowed_hosts.join("\n") ?? "",
    packageManagers: limited?.allow_package_managers ?? false,
    mcpServers: limited?.allow_mcp_servers ?? false,
    packages: {
      apt: packages.apt.join("\n"),
      npm: packages.npm.join("\n"),
      pip: packages.pip.join("\n"),
    },
    runtimes: config.runtimes === "auto" ? {} : config.runtimes,
    runtimesAuto: config.runtimes === "auto",
    setupScript: config.setup_script ?? "",
    repositoryScript: config.repository_setup_script ?? "",
    repositoryScriptRequired: config.repository_setup_required,
    variables: pairsOf(environment.environment_variables),
    limits: {
      cpus: String(resources.cpus),
      memory_mb: String(resources.memory_mb),
      pids: String(resources.pids),
      disk_mb: resources.disk_mb === null ? "" : String(resources.disk_mb),
    },
    credentials: environment.credentials,
    ...identityFields(environment.git_identity),
    image: environment.image ?? "",
    runtimeClass: environment.runtime_class ?? "",
    workspace: environment.workspace,
    keepAlive: environment.keep_alive_seconds === 0 ? "" : String(environment.keep_alive_seconds),
    metadata: pairsOf(environment.metadata),
  };
}

/** Returns the whole environment as a request body. @throws FormFault for a repeated name. */
export function bodyOf(form: EnvironmentForm) {
  refuseRepeated("variable", form.variables);
  refuseRepeated("metadata", form.metadata);
  return {
    name: form.name.trim(),
    description: emptyAsNull(form.description.trim()),
    config: configOf(form),
    environment_variables: recordOf(form.variables),
    resources: {
      cpus: limitOf(form, "cpus"),
      memory_mb: limitOf(form, "memory_mb"),
      pids: limitOf(form, "pids"),
      disk_mb: limitOf(form, "disk_mb"),
    },
    credentials: form.credentials,
    git_identity: identityOf(form),
    image: emptyAsNull(form.image.trim()),
    runtime_class: emptyAsNull(form.runtimeClass.trim()),
    workspace: form.workspace,
    keep_alive_seconds: numberOf(form.keepAlive),
    metadata: recordOf(form.metadata),
  };
}

/**
 * Returns the fields that the form changes, compared with the environment as it was when the form was opened.
 * Changes that somebody else made since then are left out, and so are kept.
 */
export function changeOf(environment: Environment, form: EnvironmentForm) {
  const before = bodyOf(formOf(form.base ?? environment));
  const after = bodyOf(form);
  const { config, resources, metadata, ...rest } = changedFields(before, after);
  return {
    ...rest,
    ...(config && { config: { type: config.type, ...changeOfConfig(before.config, config) } }),
    ...(resources && { resources: changedFields(before.resources, resources) }),
    ...(metadata && { metadata: patchOf(before.metadata, metadata) }),
  };
}

/** Names only the runtimes that change, since a version is chosen anew whenever it is named. */
function changeOfConfig(before: ReturnType<typeof configOf>, after: ReturnType<typeof configOf>) {
  const { runtimes, ...rest } = changedFields(before, after);
  if (runtimes === undefined) return rest;
  // What was chosen from repositories has no names, so all that is named is new.
  if (runtimes === "auto" || before.runtimes === "auto") return { ...rest, runtimes };
  return { ...rest, runtimes: patchOf(before.runtimes, runtimes) };
}

function refuseRepeated(place: string, pairs: readonly Pair[]): void {
  const twice = repeated(pairs);
  if (twice !== undefined) throw new FormFault(`${place} ${twice.key}`, "This name is already used.");
}

function configOf(form: EnvironmentForm) {
  return {
    type: "cloud" as const,
    networking: networkingOf(form),
    packages: {
      apt: wordsOf(form.packages.apt),
      npm: wordsOf(form.packages.npm),
      pip: wordsOf(form.packages.pip),
    },
    runtimes: runtimesOf(form),
    setup_script: emptyAsNull(form.setupScript),
    repository_setup_script: emptyAsNull(form.repositoryScript),
    repository_setup_required: form.repositoryScriptRequired,
  };
}

function runtimesOf({ runtimes, runtimesAuto }: EnvironmentForm): "auto" | Record<string, string> {
  if (runtimesAuto) return "auto";
  const chosen = Object.entries(runtimes).map(([name, version]) => [name, version.trim()]);
  return Object.fromEntries(chosen.filter(([, version]) => version !== ""));
}

function networkingOf({ networking, hosts, packageManagers, mcpServers }: EnvironmentForm) {
  if (networking === "unrestricted") return { type: networking };
  return {
    type: networking,
    allowed_hosts: wordsOf(hosts),
    allow_package_managers: packageManagers,
    allow_mcp_servers: mcpServers,
  };
}

function limitOf({ limits }: EnvironmentForm, limit: Limit): number | null {
  return numberOf(limits[limit]);
}

function numberOf(field: string): number | null {
  const text = field.trim();
  // A text that is not a number becomes -1, which the service rejects with the field's name.
  return text === "" ? null : Number.isNaN(Number(text)) ? -1 : Number(text);
}

/** Returns the words of a text, which are separated by spaces, lines or commas. */
export function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function emptyAsNull(text: string): string | null {
  return text.trim() === "" ? null : text;
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string, form: EnvironmentForm): string {
  const [, list, name = ""] = /^(environment_variables|metadata)[.[]["']?(.*?)["']?\]?$/.exec(param) ?? [];
  if (list === "environment_variables") return pairPlace("variable", form.variables, name) ?? list;
  if (list === "metadata") return pairPlace("metadata", form.metadata, name) ?? list;
  const [, manager] = /^config\.packages\.(\w+)/.exec(param) ?? [];
  if (manager !== undefined) return manager;
  if (param.startsWith("config.networking")) return "networking";
  if (param.startsWith("config.runtimes.")) return param.replace("config.", "");
  return param.replace(/^(config|resources)\./, "");
}

function pairPlace(place: string, pairs: readonly Pair[], name: string): string | null {
  const pair = pairs.find((one) => one.name.trim() === name);
  return pair === undefined ? null : `${place} ${pair.key}`;
}
