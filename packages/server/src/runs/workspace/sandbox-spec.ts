import { dirname } from "node:path/posix";
import { formatId, pathsOverlap } from "@berth/contract";
import type { Limits, MountedFile, SandboxSpec } from "@berth/sandbox";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Disk } from "../disks/session-disk.ts";
import { egressPolicy, type ProviderHosts } from "../egress/egress-policy.ts";
import type { Removal } from "../inputs/removal-store.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import type { RepositorySnapshots } from "../snapshots/repository-snapshots.ts";

export interface SpecParts {
  blobs: BlobStore;
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
    limits: limitsOf(session),
    image: session.image,
    egress: egressPolicy(session, resources, parts.providers),
    files: files.flatMap(({ sha256, mountPath }): MountedFile[] =>
      sha256 === null ? [] : [{ source: parts.blobs.path(sha256), target: mountPath }],
    ),
    snapshots: parts.snapshots.mounts(resources),
    writable: [...cloneDirectories(resources), ...writableStores(resources)],
  };
}

function limitsOf({ limits }: RunSession): Limits {
  return {
    memoryBytes: limits.memory_mb * MEBIBYTE,
    pids: limits.pids,
    cpus: limits.cpus,
    diskBytes: limits.disk_mb === null ? null : limits.disk_mb * MEBIBYTE,
  };
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
