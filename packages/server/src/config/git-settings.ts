import { type Fields, parseObjects } from "./parse-objects.ts";
import { list } from "./parsers.ts";

/** A git hosting service whose repositories sessions use as `hosted_repository`. */
export interface HostedProvider {
  /** Host name, with the port if it is not 443. */
  host: string;
  /** URL of its API if that is on another host; null means on `host`. */
  api: string | null;
  /** Environment variables from which its CLI reads the token. */
  token_env: string[];
  /** CA certificates to trust for this host, also inside sandboxes. */
  ca_file: string | null;
}

/** CA certificates of a git server that is not a hosted provider, to trust inside sandboxes. */
export interface GitCaFile {
  /** Host name, with the port if it is not 443. */
  host: string;
  ca_file: string;
}

/**
 * Parses `[{"host": …, "token_env": […], "api"?: …, "ca_file"?: …}]`.
 * @throws Error with a clause for the operator.
 */
export function parseHostedProviders(text: string): HostedProvider[] {
  const providers = parseObjects(text, ["host", "api", "token_env", "ca_file"], parseProvider);
  const hosts = providers.map(({ host }) => host);
  const duplicate = hosts.find((host, index) => hosts.indexOf(host) !== index);
  if (duplicate !== undefined) throw new Error(`lists ${duplicate} twice`);
  return providers;
}

/** Parses `[{"host": …, "ca_file": …}]`. @throws Error with a clause for the operator. */
export function parseGitCaFiles(text: string): GitCaFile[] {
  return parseObjects(text, ["host", "ca_file"], ({ host, ca_file }, at) => ({
    host: requireHost(host, at),
    ca_file: requireFile(ca_file, at),
  }));
}

/**
 * Parses hosts that may be cloned from over HTTP, with a port if not 80.
 * @throws Error with a clause for the operator.
 */
export function parseHttpHosts(text: string): string[] {
  const hosts = list(text);
  const invalid = hosts.find((host) => !isHost(host, "http"));
  if (invalid === undefined) return hosts;
  throw new Error(`'${invalid}' is not a lower-case host with an optional port other than 80`);
}

function parseProvider(item: Fields, at: string): HostedProvider {
  const { host: hostField, api = null, token_env = [], ca_file = null } = item;
  const host = requireHost(hostField, at);
  if (api !== null && (typeof api !== "string" || !/^https:\/\/[^\s/@]+/.test(api))) {
    throw new Error(`${at}.api must be an https URL without credentials`);
  }
  if (!isVariableList(token_env)) throw new Error(`${at}.token_env must be an array of variable names`);
  return { host, api, token_env, ca_file: ca_file === null ? null : requireFile(ca_file, at) };
}

function isVariableList(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.every((name) => typeof name === "string" && /^[A-Z_][A-Z0-9_]*$/.test(name))
  );
}

function requireHost(value: unknown, at: string): string {
  if (typeof value === "string" && isHost(value, "https")) return value;
  throw new Error(`${at}.host must be a lower-case host with an optional port other than 443`);
}

function requireFile(value: unknown, at: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`${at}.ca_file must be a file name`);
}

/** Accepts only the form that `URL.host` returns, since hosts are compared with it. */
function isHost(text: string, protocol: "https" | "http"): boolean {
  return URL.parse(`${protocol}://${text}/`)?.host === text;
}
