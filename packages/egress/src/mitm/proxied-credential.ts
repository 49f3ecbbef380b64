import type { HostName } from "../names/host-name.ts";
import { parsePolicy } from "../policy/policy.ts";

/**
 * Returns the credentials of a sandbox. Called for each of its connections, and for each request on a
 * connection that is opened, so that a change takes effect at once. When it rejects, the connection or the
 * request fails.
 */
export type CredentialSource = () => Promise<readonly ProxiedCredential[]>;

/**
 * A secret that the sandbox does not have. The sandbox has a placeholder, which has no value anywhere else.
 * In requests to the credential's targets, which the policy must allow as well, the secret replaces the
 * placeholder.
 */
export interface ProxiedCredential {
  /**
   * Unguessable visible ASCII that needs no escape in a URL and occurs in no other text. In the sandbox it
   * may be preceded by the prefix of a well-known kind of token; see `withTokenPrefix`.
   */
  placeholder: string;
  value: string;
  targets: readonly CredentialTarget[];
  /** Whether to inject in URLs and short text bodies, not only in headers. Hosts may publish bodies. */
  anywhere: boolean;
}

/** Maximum bytes of the credential values for one host; each of its responses is searched for them. */
export const MAX_BYTES_AT_HOST = 65_536;

/** Returns whether the values are short enough in total to be searched for. */
export function areSearchable(credentials: readonly ProxiedCredential[]): boolean {
  const bytes = credentials.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  return bytes <= MAX_BYTES_AT_HOST;
}

/** Requests in which a credential may be injected. */
export interface CredentialTarget {
  /** Host pattern, as in an `EgressPolicy`. */
  host: string;
  /** Limits injection to requests to this path, to the path with `.git` appended, or below either. */
  path?: string;
  /** Whether to inject over plain HTTP, too, which others on the network can read. Default: false. */
  plaintext?: boolean;
}

/** The host that a connection is for. */
export interface Destination {
  name: HostName;
  port: number;
  protocol: "tls" | "http";
}

/** Returns the credentials for a host. */
export function credentialsAt(
  credentials: readonly ProxiedCredential[],
  destination: Destination,
): ProxiedCredential[] {
  return credentials.filter(({ targets }) => targets.some((target) => leadsTo(target, destination)));
}

/** Returns the credentials for a request, whose path must be at or below a target's path, if it has one. */
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

/**
 * Returns whether a path is at or below a base. `path` is null for an ambiguous path, which is below none.
 */
function isBelow(path: string | null, base: string | undefined): boolean {
  if (base === undefined) return true;
  return path !== null && (path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}.git/`));
}

/**
 * Returns the path of a request target. Returns null for a path that some server may read differently: with
 * dot segments, escaped separators or dots, or unusual characters. Some servers cut segments at a semicolon,
 * decode escapes twice, or accept overlong UTF-8.
 */
function plainPath(requestTarget: string): string | null {
  const path = requestTarget.split("?", 1)[0] ?? "";
  const isPlain = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%(?!2e|2f|5c|00|c0|c1|25(?:2e|2f|5c|25))[0-9a-f]{2})*$/i.test(
    path,
  );
  return isPlain && !/\/(?:\.{0,2}\/|\.{1,2}(?:;|%3b|$))/i.test(path) ? path : null;
}
