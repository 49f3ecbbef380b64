import { formatId } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type { CloneRepository, Placement } from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { PrefetchedRefs } from "../snapshots/prefetched-refs.ts";
import type { RepositorySnapshots } from "../snapshots/repository-snapshots.ts";
import { ProgressReport } from "./progress-report.ts";

export interface CloneParts {
  credentials: Pick<SessionCredentials, "repositoryInside" | "unsealedRepository">;
  clone: CloneRepository;
  snapshots: RepositorySnapshots;
}

export interface CloneTarget {
  lease: Lease;
  sandbox: Sandbox;
  runLog: RunLog;
  /** What hosts were asked for before the sandbox was open. */
  refs: PrefetchedRefs;
}

/**
 * Puts one repository in place and reports its progress: from a snapshot if there is one and the session's own credential may read the
 * repository now, else by a clone, which also reports what is wrong. Has a snapshot built for the next session.
 *
 * @param mounted uuids of the repositories at whose mount paths this sandbox has a snapshot.
 */
export async function cloneInto(
  { credentials, snapshots, clone }: CloneParts,
  { lease, runLog, sandbox, refs }: CloneTarget,
  repository: RunRepository,
  mounted: Set<string>,
): Promise<Placement> {
  const { id: resourceId, checkout } = repository;
  const report = new ProgressReport(runLog, formatId("session_resource", resourceId));
  const unsealed = credentials.unsealedRepository(repository);
  const requestBuild = () => snapshots.requestBuild(lease.sessionId, { repository: unsealed, checkout });
  try {
    const remote = mounted.has(resourceId)
      ? null
      : await (refs.take(resourceId) ?? snapshots.remoteRefs(lease.sessionId, unsealed));
    const inside = await credentials.repositoryInside(repository);
    const request = { ...inside, checkout, onProgress: report.progress };
    const fromSnapshot =
      remote && (await snapshots.mount(remote, { lease, sandbox, resourceId, mounted }, request));
    if (fromSnapshot !== null) {
      if (fromSnapshot.stale) requestBuild();
      return { commit: fromSnapshot.commit };
    }
    const overwrite = mounted.has(resourceId);
    // A former snapshot, or one that could not be mounted: a clone that refers to it could not be shown again.
    if (!overwrite && (remote !== null || repository.snapshot !== null))
      await snapshots.release(lease, resourceId);
    const placement = await clone(sandbox, { ...request, overwrite });
    if (placement !== "later" && !("fault" in placement)) requestBuild();
    return placement;
  } finally {
    await report.end();
  }
}
