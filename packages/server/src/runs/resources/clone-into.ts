import { formatId } from "@berth/contract";
import { emptyClone, type Sandbox } from "@berth/sandbox";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type { CloneRepository, CloneRequest, Placement } from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { PrefetchedRefs } from "../snapshots/prefetched-refs.ts";
import type { RepositorySnapshots } from "../snapshots/repository-snapshots.ts";
import { ProgressReport } from "./progress-report.ts";
import { type SetupTarget, setUpRepository } from "./set-up-repository.ts";

export interface CloneParts {
  credentials: Pick<SessionCredentials, "repositoryInside" | "unsealedRepository">;
  clone: CloneRepository;
  snapshots: RepositorySnapshots;
  mask(text: string): string;
}

export interface CloneTarget extends Pick<SetupTarget, "session" | "notes"> {
  lease: Lease;
  sandbox: Sandbox;
  runLog: RunLog;
  /** What hosts were asked for before the sandbox was open. */
  refs: PrefetchedRefs;
}

/**
 * Puts one repository in place and reports its progress: from a snapshot if there is one and the session's own credential may read the
 * repository now, else by a clone, which also reports what is wrong. Has a snapshot built for the next session. Then runs the
 * environment's setup script in it.
 *
 * @param mounted uuids of the repositories at whose mount paths this sandbox has a snapshot.
 */
export async function cloneInto(
  parts: CloneParts,
  target: CloneTarget,
  repository: RunRepository,
  mounted: Set<string>,
): Promise<Placement> {
  const report = new ProgressReport(target.runLog, formatId("session_resource", repository.id));
  try {
    const cloned = await fromSnapshotOrHost(parts, target, repository, mounted, report.progress);
    const setup = { ...target, mask: parts.mask };
    const onStart = () => report.progress({ phase: "setting_up", percent: null });
    const placement = await setUpRepository(setup, repository, cloned, onStart);
    if (isFault(placement) && !isFault(cloned)) await discardClone(target, repository, mounted);
    return placement;
  } finally {
    await report.end();
  }
}

function isFault(placement: Placement): boolean {
  return placement !== "later" && "fault" in placement;
}

/** Another attempt clones anew. */
async function discardClone(
  { sandbox }: CloneTarget,
  repository: RunRepository,
  mounted: Set<string>,
): Promise<void> {
  const { id, mountPath } = repository;
  const isUnmounted = mounted.has(id) && (await sandbox.unmountSnapshot(mountPath));
  if (isUnmounted) mounted.delete(id);
  else await emptyClone(sandbox, repository);
}

async function fromSnapshotOrHost(
  { credentials, snapshots, clone }: CloneParts,
  { lease, sandbox, refs }: CloneTarget,
  repository: RunRepository,
  mounted: Set<string>,
  onProgress: CloneRequest["onProgress"],
): Promise<Placement> {
  const { id: resourceId, checkout } = repository;
  const unsealed = credentials.unsealedRepository(repository);
  const requestBuild = () => snapshots.requestBuild(lease.sessionId, { repository: unsealed, checkout });
  const remote = mounted.has(resourceId)
    ? null
    : await (refs.take(resourceId) ?? snapshots.remoteRefs(lease.sessionId, unsealed));
  const inside = await credentials.repositoryInside(repository);
  const request = { ...inside, checkout, onProgress };
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
  if (placement !== "later" && !isFault(placement)) requestBuild();
  return placement;
}
