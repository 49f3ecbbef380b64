import { createHash } from "node:crypto";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { posix } from "node:path";
import { SandboxError } from "../interface/errors.ts";
import type { SandboxSpec } from "../interface/spec.ts";
import { SHELLS_INSIDE } from "./environment.ts";

/** A path on the host and the path at which the sandbox sees it. */
export interface Mount {
  host: string;
  inside: string;
}

/** Directories that every sandbox can write: name on the disk, path in the sandbox. */
const STANDARD: readonly (readonly [string, string])[] = [
  ["data", "/data"],
  ["home", "/home/agent"],
  ["outputs", "/mnt/session/outputs"],
  ["tmp", "/var/tmp"],
  ["short-tmp", "/tmp"],
  ["shells", SHELLS_INSIDE],
];

/** Directories for temporary files of any user, where programs expect the sticky bit. */
const TEMPORARY = ["/tmp", "/var/tmp"];

/** Paths of a sandbox's system; nothing can be mounted below them. */
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
 * Returns the writable directories of a sandbox. Those below another (`nested`) are not mounts: a process of
 * the sandbox makes them. Throws `SandboxError` for a path of the system or of the uploads.
 *
 * @param root Directory of the mounts' sources on the host.
 */
export function writableMounts(
  spec: Pick<SandboxSpec, "writable">,
  root: string,
): { mounted: Mount[]; nested: string[] } {
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

/**
 * Returns the normal form of an absolute path in the sandbox. Throws `SandboxError` for other paths, and for
 * paths of the system.
 */
export function cleanPath(path: string): string {
  const clean = posix.normalize(path).replace(/(.)\/+$/, "$1");
  if (!path.startsWith("/") || path.includes("\0") || clean === "/")
    throw new SandboxError(`not an absolute path: ${JSON.stringify(path)}`);
  if (SYSTEM.some((taken) => isBelow(clean, taken))) throw new SandboxError(`${clean} belongs to the system`);
  return clean;
}

/** Returns whether a path is this directory or lies below it. Both must be in normal form. */
export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

/**
 * Makes the host directories of mounts, in a directory that the agent never sees. The agent owns their
 * contents, so the host resolves no path in them. No other user of the host may read them.
 *
 * @param uid Owner; null when this process cannot change owners.
 */
export function makeMountSources(disk: string, mounts: readonly Mount[], uid: number | null): void {
  mkdirSync(disk, { recursive: true, mode: 0o711 });
  for (const mount of mounts) {
    const isNew = mkdirSync(mount.host, { recursive: true, mode: 0o700 }) !== undefined;
    if (uid !== null) chownSync(mount.host, uid, uid);
    if (isNew) chmodSync(mount.host, modeOf(mount));
  }
}

/** Returns the mode with which a writable directory is made. */
export function modeOf({ inside }: Pick<Mount, "inside">): number {
  return TEMPORARY.includes(inside) ? 0o1777 : 0o700;
}
