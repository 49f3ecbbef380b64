import type { HostName } from "../names/host-name.ts";
import { parsePolicy } from "../policy/policy.ts";

/**
 * Called for each connection of a sandbox, and for each request on a connection that is opened, so that a change takes effect at
 * once. When it rejects, the connection or the request fails.
 */
export type CredentialSource = () => Promise<readonly ProxiedCredential[]>;

/**
 * A secret that the sandbox does not have. The sandbox has a placeholder, which is worth nothing anywhere else; in requests to
 * the credential's targets, which the policy must allow as well, the secret is injected in its place.
 */
export interface ProxiedCredential {
  /**
   * Unguessable visible ASCII that needs no escape in a URL and occurs in no other text. In the sandbox it may be preceded by
   * the prefix of a well-known kind of token; see `withTokenPrefix`.
   */
  placeholder: string;
  value: string;
  targets: readonly CredentialTarget[];
  /** Inject in URLs and in short text bodies, too. Otherwise in headers only, since hosts publish bodies. */
  anywhere: boolean;
}

/** Bytes of the values of all credentials for one host: every response of it is searched for them. */
export const MAX_BYTES_AT_HOST = 65_536;

/** Whether their values are short enough to be searched for. */
export function areSearchable(credentials: readonly ProxiedCredential[]): boolean {
  const bytes = credentials.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  return bytes <= MAX_BYTES_AT_HOST;
}

export interface CredentialTarget {
  /** As in an `EgressPolicy`. */
  host: string;
  /** Only for requests to this path, to the path with `.git` appended, or below either. */
  path?: string;
  /** Also over plain HTTP, which anyone on the network path can read. Default: false, TLS only. */
  plaintext?: boolean;
}

/** The host that a connection is for. */
export interface Destination {
  name: HostName;
  port: number;
  protocol: "tls" | "http";
}

/** The credentials for a host. */
export function credentialsAt(
  credentials: readonly ProxiedCredential[],
  destination: Destination,
): ProxiedCredential[] {
  return credentials.filter(({ targets }) => targets.some((target) => leadsTo(target, destination)));
}

/** The credentials for a request to a host. Where a target has a path, the request's path must be at or below it. */
export function credentialsFor(
  credentials: readonly ProxiedCredential[],
  destination: Destination,
  requestTarget: string,
): ProxiedCredential[] {
  const path = plainPath(requestTarget);
  return credentials.filter(({ targets }) =>
    targets.some((target) => leadsTo(target, destination) && isBelow(path, target.path)),
  );
}

function leadsTo(
  { host, plaintext = false }: CredentialTarget,
  { name, port, protocol }: Destination,
): boolean {
  if (protocol === "http" && !plaintext) return false;
  return parsePolicy({ mode: "limited", hosts: [host] }).allows(name, port);
}

/** `path` is null for an ambiguous path, which is below none. */
function isBelow(path: string | null, base: string | undefined): boolean {
  if (base === undefined) return true;
  return path !== null && (path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}.git/`));
}

/**
 * The path of a request target; null for a path that some server may read as another one: with dot segments, escaped separators
 * or dots, or unusual characters. Some servers cut segments at a semicolon, decode escapes twice, or accept overlong UTF-8.
 */
function plainPath(requestTarget: string): string | null {
  const path = requestTarget.split("?", 1)[0] ?? "";
  const isPlain = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%(?!2e|2f|5c|00|c0|c1|25(?:2e|2f|5c|25))[0-9a-f]{2})*$/i.test(
    path,
  );
  return isPlain && !/\/(?:\.{0,2}\/|\.{1,2}(?:;|%3b|$))/i.test(path) ? path : null;
}
