import type { HostName } from "../names/host-name.ts";
import { parsePolicy } from "../policy/policy.ts";
import type { CredentialTarget, SandboxCredential } from "../policy/types.ts";

/** Where a connection leads. */
export interface Destination {
  name: HostName;
  port: number;
  protocol: "tls" | "http";
}

/** Those of the credentials that are for a host. */
export function credentialsAt(
  credentials: readonly SandboxCredential[],
  destination: Destination,
): SandboxCredential[] {
  return credentials.filter(({ targets }) => targets.some((target) => leadsTo(target, destination)));
}

/** Those that are for a request to it: where a target names a path, the request's is at or below that. */
export function credentialsFor(
  credentials: readonly SandboxCredential[],
  destination: Destination,
  requestTarget: string,
): SandboxCredential[] {
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

/** A path that a server may read as another one is below none. */
function isBelow(path: string | null, base: string | undefined): boolean {
  if (base === undefined) return true;
  return path !== null && (path === base || path.startsWith(`${base}/`) || path.startsWith(`${base}.git/`));
}

/**
 * Null where dots, escapes of what separates, or anything unusual let a server read it as another: some cut off what stands behind a
 * semicolon, and some read escapes twice, or longer ones than there have to be.
 */
function plainPath(requestTarget: string): string | null {
  const path = requestTarget.split("?", 1)[0] ?? "";
  const isPlain = /^\/(?:[\w.~!$&'()*+,;=:@/-]|%(?!2e|2f|5c|00|c0|c1|25(?:2e|2f|5c|25))[0-9a-f]{2})*$/i.test(
    path,
  );
  return isPlain && !/\/(?:\.{0,2}\/|\.{1,2}(?:;|%3b|$))/i.test(path) ? path : null;
}
