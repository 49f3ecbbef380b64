import { dirname } from "node:path/posix";
import { formatId, pathsOverlap } from "@berth/contract";
import type { Limits, MountedFile, SandboxSpec } from "@berth/sandbox";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Disk } from "../disks/session-disk.ts";
import { egressPolicy } from "../egress/egress-policy.ts";
import type { ProviderHosts } from "../egress/provider-hosts.ts";
import type { Removal } from "../inputs/removal-store.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { RepositorySnapshots } from "../snapshots/repository-snapshots.ts";

export interface SpecParts {
  blobs: BlobStore;
  /** The most that a session can have, whatever its environment asks for. */
  ceilings: Readonly<Record<keyof RunSession["limits"], number>>;
  providers: readonly ProviderHosts[];
  snapshots: Pick<RepositorySnapshots, "mounts">;
}

const MEBIBYTE = 1024 * 1024;

/**
 * The sandbox to open for a session, with the files that it has now. It leaves out a file whose path is still occupied on the
 * disk by something that was deleted: the file is put there when that is removed. And one in a repository, which is put there after
 * the clone.
 */
export function sandboxSpec(
  parts: SpecParts,
  session: RunSession,
  disk: Disk,
  resources: readonly RunResource[],
  removals: readonly Removal[] = [],
): SandboxSpec {
  const files = resources
    .filter((resource) => resource.type === "file")
    .filter(({ repository }) => repository === null)
    .filter(
      (file) => file.ready || !removals.some((removal) => pathsOverlap(removal.mountPath, file.mountPath)),
    );
  return {
    id: formatId("session", session.id),
    disk: disk.path,
    uid: disk.uid,
    limits: limitsOf(session, parts.ceilings),
    image: session.image,
    egress: egressPolicy(session, resources, parts.providers),
    files: files.flatMap(({ sha256, mountPath }): MountedFile[] =>
      sha256 === null ? [] : [{ source: parts.blobs.path(sha256), target: mountPath }],
    ),
    snapshots: parts.snapshots.mounts(resources),
    writable: writableDirectories(resources),
  };
}

/** Directories that the sandbox may write for its resources, besides those of all. */
export function writableDirectories(resources: readonly RunResource[]): string[] {
  return [...cloneDirectories(resources), ...writableStores(resources)];
}

function limitsOf({ limits }: RunSession, ceilings: SpecParts["ceilings"]): Limits {
  const disk = limits.disk_mb === null ? null : Math.min(limits.disk_mb, ceilings.disk_mb);
  return {
    memoryBytes: Math.min(limits.memory_mb, ceilings.memory_mb) * MEBIBYTE,
    pids: Math.min(limits.pids, ceilings.pids),
    cpus: Math.min(limits.cpus, ceilings.cpus),
    diskBytes: disk === null ? null : disk * MEBIBYTE,
  };
}

/** The limits of a session that the ceilings lower, with what it has: its environment was made when there were others. */
export function loweredLimits(
  { limits }: RunSession,
  ceilings: SpecParts["ceilings"],
): Partial<SpecParts["ceilings"]> {
  const names = Object.keys(ceilings) as Array<keyof RunSession["limits"]>;
  const lowered = names.filter((name) => (limits[name] ?? 0) > ceilings[name]);
  return Object.fromEntries(lowered.map((name) => [name, ceilings[name]]));
}

function writableStores(resources: readonly RunResource[]): string[] {
  return resources.flatMap((resource) =>
    resource.type === "memory_store" && resource.access === "read_write" ? [resource.mountPath] : [],
  );
}

/** Directories that the disk needs besides its own, so that repositories can be cloned below them. */
function cloneDirectories(resources: readonly RunResource[]): string[] {
  const parents = resources
    .filter(isRepository)
    .filter(({ mountPath }) => !ON_THE_DISK.some((directory) => mountPath.startsWith(`${directory}/`)))
    .map(({ mountPath }) => (SHARED.has(dirname(mountPath)) ? mountPath : dirname(mountPath)));
  return [...new Set(parents)];
}

/** Below these a clone needs no directory of its own, or there can be none. */
const ON_THE_DISK = ["/data", "/home/agent", "/mnt/session/uploads"];

/** Parents that also hold other things. */
const SHARED = new Set(["/", "/home", "/mnt", "/mnt/session", "/opt"]);
