import type { Signal } from "@berth/concurrency";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Placement, PlacementFault } from "../inputs/placement.ts";
import { isPending, isRepository, type RunRepository, readResource } from "../inputs/resource-store.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { Activity } from "./activity.ts";
import { reportFailed, reportOutdated, reportReady, reportRetrying } from "./report-placement.ts";
import { retryDelay } from "./retry-delay.ts";

export interface PlaceDeps {
  db: { write: Queryable };
  /** Milliseconds to wait before each retry of a series. Default: 1,000 to 16,000, doubling. */
  cloneRetryMs?: readonly number[];
}

export interface PlaceTarget {
  lease: Lease;
  runLog: RunLog;
  /** Collects notes for the model. */
  notes: string[];
  /** Aborts when no sandbox is needed. */
  signal: AbortSignal;
  activity: Activity;
  sandbox: { closed: Promise<void> };
}

const DEFAULT_RETRY_MS = [1_000, 2_000, 4_000, 8_000, 16_000];
/**
 * Tries to put one repository in place until it is, or until another attempt would not help now. A series of
 * attempts is stored in the row, so that it continues after the death of a process. If inputs change during
 * an attempt, the next one begins at once with its own series.
 *
 * @param attempt makes one attempt.
 * @param changed set when the row may have changed, which ends a wait.
 */
export async function placeRepository(
  { db, cloneRetryMs = DEFAULT_RETRY_MS }: PlaceDeps,
  target: PlaceTarget,
  id: string,
  { attempt, changed }: { attempt(repository: RunRepository): Promise<Placement>; changed: Signal },
): Promise<void> {
  const began = performance.now();
  for (;;) {
    changed.reset();
    const repository = await pendingRepository(db.write, id);
    if (repository === null) {
      // The row may have been read before a change that was signalled meanwhile.
      if (await changed.waitFor(0)) continue;
      return;
    }
    if (repository.retryInMs !== null && repository.retryInMs > 0) {
      if (!(await waitUnlessOver(target, changed, repository.retryInMs))) return;
      continue;
    }
    const placement = await attempt(repository);
    if (placement === "later") return;
    if (!("fault" in placement)) return await reportReady(target, repository, began, placement);
    await reportFault(db.write, target, repository, placement.fault, cloneRetryMs);
  }
}

async function pendingRepository(db: Queryable, id: string): Promise<RunRepository | null> {
  const resource = await readResource(db, id);
  return resource !== null && isRepository(resource) && isPending(resource) ? resource : null;
}

async function reportFault(
  db: Queryable,
  target: PlaceTarget,
  repository: RunRepository,
  fault: PlacementFault,
  schedule: readonly number[],
): Promise<void> {
  const now = await readResource(db, repository.id);
  if (now === null) return;
  if (now.inputs !== repository.inputs) return await reportOutdated(target, repository, fault);
  if (fault.transient !== true) return await reportFailed(target, repository, fault);
  const waitMs = retryDelay(repository, fault.retryAfterMs ?? null, schedule);
  if (waitMs === null) await reportFailed(target, repository, fault, schedule.length + 1);
  else await reportRetrying(target, repository, fault, waitMs);
}

/** Waits. Returns false when the sandbox is closed or not needed. */
async function waitUnlessOver(
  { signal, sandbox, activity }: PlaceTarget,
  changed: Signal,
  milliseconds: number,
): Promise<boolean> {
  let isClosed = false;
  sandbox.closed.then(() => {
    isClosed = true;
    changed.set();
  });
  signal.addEventListener("abort", changed.set, { once: true });
  if (!signal.aborted) await activity.pause(() => changed.waitFor(milliseconds));
  signal.removeEventListener("abort", changed.set);
  return !signal.aborted && !isClosed;
}
