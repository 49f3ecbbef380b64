import { dirname } from "node:path/posix";
import { formatId, pathsOverlap } from "@berth/contract";
import type { Limits, MountedFile, SandboxSpec } from "@berth/sandbox";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Disk } from "../disks/session-disk.ts";
import { egressPolicy, type ProviderHosts } from "../egress/egress-policy.ts";
import type { Removal } from "../inputs/removal-store.ts";
import { isRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunSession } from "../inputs/session-inputs.ts";
import type { Templates } from "../templates/templates.ts";

export interface SpecParts {
  blobs: BlobStore;
  providers: readonly ProviderHosts[];
  templates: Pick<Templates, "mounted">;
}

const MEBIBYTE = 1024 * 1024;

/**
 * What the engine is to open for a session, with the files that it has now. A file whose place something that was removed
 * still takes on the disk is not among them: it is put there when that is gone.
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
    snapshots: parts.templates.mounted(resources),
    writable: [...writable(resources), ...writtenStores(resources)],
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

function writtenStores(resources: readonly RunResource[]): string[] {
  return resources.flatMap((resource) =>
    resource.type === "memory_store" && resource.access === "read_write" ? [resource.mountPath] : [],
  );
}

/** Directories that the sandbox's disk must have besides its own, so that repositories can be cloned below them. */
function writable(resources: readonly RunResource[]): string[] {
  const parents = resources
    .filter(isRepository)
    .filter(({ mountPath }) => !ON_THE_DISK.some((directory) => mountPath.startsWith(`${directory}/`)))
    .map(({ mountPath }) => (SHARED.has(dirname(mountPath)) ? mountPath : dirname(mountPath)));
  return [...new Set(parents)];
}

/** Places where clones need no directory of their own, or where none can be. */
const ON_THE_DISK = ["/data", "/home/agent", "/mnt/session/uploads"];

/** Parents that hold other things as well. */
const SHARED = new Set(["/", "/home", "/mnt", "/mnt/session", "/opt"]);
