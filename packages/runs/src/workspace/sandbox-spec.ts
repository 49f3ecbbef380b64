import { dirname } from "node:path/posix";
import { formatId, pathsOverlap } from "@berth/contract";
import type { Limits, SandboxSpec } from "@berth/sandbox";
import type { Lease } from "@berth/store/leases";
import type { Disk } from "../disks/session-disk.ts";
import { egressPolicy } from "../egress/egress-policy.ts";
import type { ProviderHosts } from "../egress/provider-hosts.ts";
import type { Removal } from "../inputs/removal-store.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import { imageOf, type RunSession } from "../inputs/session-inputs-store.ts";
import type { RepositorySnapshots } from "../repositories/snapshots/repository-snapshots.ts";

export interface SpecDeps {
  /** The most that a session can have, whatever its environment requests. */
  ceilings: Readonly<Record<keyof RunSession["limits"], number>>;
  providers: readonly ProviderHosts[];
  snapshots: Pick<RepositorySnapshots, "mounts">;
}

const MEBIBYTE = 1024 * 1024;

/** Returns the spec of a session's sandbox, without its files. */
export function sandboxSpec(
  deps: SpecDeps,
  session: RunSession,
  { path, uid, epoch }: Pick<Disk, "path" | "uid"> & Pick<Lease, "epoch">,
  resources: readonly RunResource[],
): SandboxSpec {
  return {
    id: formatId("session", session.id),
    disk: path,
    uid,
    epoch,
    limits: limitsOf(session, deps.ceilings),
    image: imageOf(session),
    runtimeClass: session.runtimeClass,
    egress: egressPolicy(session, resources, deps.providers),
    files: [],
    snapshots: deps.snapshots.mounts(resources),
    writable: writableDirectories(resources),
  };
}

/** Returns the directories that the sandbox may write for its resources, besides the common ones. */
export function writableDirectories(resources: readonly RunResource[]): string[] {
  return [...cloneDirectories(resources), ...writableStores(resources)];
}

/** A file that a sandbox is opened with. */
export interface MountedContent {
  sha256: string;
  target: string;
}

/**
 * Returns the files of the session. Leaves out a file whose path a deleted file still occupies on the disk:
 * the file is put there after the removal. Also leaves out files in repositories, which follow the clone.
 */
export function mountedContents(
  resources: readonly RunResource[],
  removals: readonly Removal[],
): MountedContent[] {
  return resources
    .filter((resource) => resource.type === "file")
    .filter(({ repository }) => repository === null)
    .filter(
      (file) => file.ready || !removals.some((removal) => pathsOverlap(removal.mountPath, file.mountPath)),
    )
    .flatMap(({ sha256, mountPath }) => (sha256 === null ? [] : [{ sha256, target: mountPath }]));
}

/** Returns the limits of a sandbox, none above the ceilings. */
export function limitsOf({ limits }: Pick<RunSession, "limits">, ceilings: SpecDeps["ceilings"]): Limits {
  const disk = limits.disk_mb === null ? null : Math.min(limits.disk_mb, ceilings.disk_mb);
  return {
    memoryBytes: Math.min(limits.memory_mb, ceilings.memory_mb) * MEBIBYTE,
    pids: Math.min(limits.pids, ceilings.pids),
    cpus: Math.min(limits.cpus, ceilings.cpus),
    diskBytes: disk === null ? null : disk * MEBIBYTE,
  };
}

/**
 * Returns the limits of a session that the ceilings lower, with the lowered values. The environment may be
 * older than the ceilings.
 */
export function loweredLimits(
  { limits }: RunSession,
  ceilings: SpecDeps["ceilings"],
): Partial<SpecDeps["ceilings"]> {
  const names = Object.keys(ceilings) as Array<keyof RunSession["limits"]>;
  const lowered = names.filter((name) => (limits[name] ?? 0) > ceilings[name]);
  return Object.fromEntries(lowered.map((name) => [name, ceilings[name]]));
}

function writableStores(resources: readonly RunResource[]): string[] {
  return resources.flatMap((resource) =>
    resource.type === "memory_store" && resource.access === "read_write" ? [resource.mountPath] : [],
  );
}

/** Returns directories that the disk needs besides its own, so that repositories can be cloned below them. */
function cloneDirectories(resources: readonly RunResource[]): string[] {
  const parents = resources
    .filter(isRepository)
    .filter(({ mountPath }) => !ON_THE_DISK.some((directory) => mountPath.startsWith(`${directory}/`)))
    .map(({ mountPath }) => (SHARED.has(dirname(mountPath)) ? mountPath : dirname(mountPath)));
  return [...new Set(parents)];
}

/** Directories below which a clone needs no directory of its own, or can have none. */
const ON_THE_DISK = ["/data", "/home/agent", "/mnt/session/uploads"];

/** Parents that also hold other things. */
const SHARED = new Set(["/", "/home", "/mnt", "/mnt/session", "/opt"]);
