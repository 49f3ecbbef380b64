import { createHash } from "node:crypto";
import { chownSync, mkdirSync } from "node:fs";
import { posix } from "node:path";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";

/** A host directory and where the sandbox sees it. */
export interface Place {
  host: string;
  inside: string;
}

/** Directories that every sandbox may write: name on the disk, path inside. */
const STANDARD: readonly (readonly [string, string])[] = [
  ["data", "/data"],
  ["home", "/home/agent"],
  ["outputs", "/mnt/session/outputs"],
  ["tmp", "/var/tmp"],
];

/** Paths that the sandbox's system takes; nothing can be mounted in them. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/etc",
  "/proc",
  "/dev",
  "/sys",
  "/run",
  "/opt/berth",
];

/**
 * The writable places of a sandbox, outermost first; those below another are made from inside and are not listed.
 * @param root Where they lie on the host.
 */
export function writableMounts(
  spec: Pick<SandboxSpec, "writable">,
  root: string,
): { mounted: Place[]; nested: string[] } {
  const mounted = STANDARD.map(([name, inside]) => ({ host: `${root}/${name}`, inside }));
  const nested: string[] = [];
  for (const path of [...spec.writable].map(cleanPath).sort()) {
    if (isBelow(path, "/mnt/session/uploads")) throw new SandboxError(`${path} is read-only`);
    const own = {
      host: `${root}/place-${createHash("sha256").update(path).digest("hex").slice(0, 24)}`,
      inside: path,
    };
    if (mounted.some(({ inside }) => isBelow(path, inside))) nested.push(path);
    else mounted.push(own);
  }
  return { mounted, nested };
}

/** Normal form of an absolute path inside, refused with a `SandboxError` where the system lies. */
export function cleanPath(path: string): string {
  const clean = posix.normalize(path).replace(/(.)\/+$/, "$1");
  if (!path.startsWith("/") || path.includes("\0") || clean === "/")
    throw new SandboxError(`not an absolute path: ${JSON.stringify(path)}`);
  if (SYSTEM.some((taken) => isBelow(clean, taken))) throw new SandboxError(`${clean} belongs to the system`);
  return clean;
}

export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/**
 * Makes the host side of the places. Only their own directories are touched, which lie in one that the agent never
 * sees; what is in them belongs to the agent and is never resolved from the host. Nobody else on the host reads them.
 * @param uid Owner, null where this process cannot give files away.
 */
export function makeMountSources(disk: string, places: readonly Place[], uid: number | null): void {
  mkdirSync(disk, { recursive: true, mode: 0o711 });
  for (const { host } of places) {
    mkdirSync(host, { recursive: true, mode: 0o700 });
    if (uid !== null) chownSync(host, uid, uid);
  }
}
