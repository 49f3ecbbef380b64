import { mapAtOnce, Semaphore } from "@berth/concurrency";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import { collectGroup } from "./collect-group.ts";
import { collectOne } from "./collect-one.ts";
import type { CollectDeps, Collecting, Known, Outcome } from "./collecting.ts";
import { groupOutputs } from "./group-outputs.ts";
import { listOutputs, OUTPUTS } from "./list-outputs.ts";
import { readCollected, storeOutputs } from "./output-store.ts";
import { planOutputs } from "./plan-outputs.ts";

export interface Collection {
  /** `whole`: another try would collect nothing more. `cut`: the sandbox ended, or the time was over. */
  state: "whole" | "partial" | "cut";
  /** Outputs that were left out or changed, a clause each. */
  faults: string[];
}

const MAX_READS = 4;

/**
 * Stores each regular file of the outputs as a file of the session, unless it is unchanged since it was
 * collected. It can be repeated after any interruption: a file and the record that it was collected are
 * stored in one statement.
 *
 * @throws LeaseLost, and errors of the database and the blob store.
 */
export async function collectOutputs(deps: CollectDeps, collecting: Collecting): Promise<Collection> {
  const { sandbox, limits, lease, signal } = collecting;
  if (await sandbox.isUntouched(OUTPUTS)) return { state: "whole", faults: [] };
  const listing = await listOutputs(sandbox, limits.files, signal);
  if (listing === null) return { state: "cut", faults: [] };
  const known = await readCollected(deps.db.write, lease.sessionId);
  const plan = planOutputs(listing, known, limits, deps.mask);
  const rejected = plan.rejected.map(({ path, stamp }) => ({ path, sha256: null, stamp, file: null }));
  if (rejected.length > 0) await storeOutputs(deps.db.write, lease, rejected);
  const outcomes = await collectAll(deps, collecting, plan.taken, known);
  const faults = [...plan.faults, ...outcomes.flatMap(({ fault }) => fault ?? [])];
  if (outcomes.some(({ state }) => state === "cut")) return { state: "cut", faults };
  const left = plan.later || outcomes.some(({ state }) => state === "unreadable");
  return { state: left ? "partial" : "whole", faults };
}

/** Collects small outputs in groups. Collects large ones, and those missing from their group, one by one. */
async function collectAll(
  deps: CollectDeps,
  collecting: Collecting,
  taken: readonly ListedFile[],
  known: Known,
): Promise<Outcome[]> {
  const { groups, large } = groupOutputs(taken);
  // A transaction holds its connection while contents are stored. One per session at a time leaves
  // connections for others.
  const storing = new Semaphore(1);
  const grouped = await mapAtOnce(MAX_READS, groups, (group) =>
    collectGroup(deps, collecting, group, known, storing),
  );
  const single = [...large, ...grouped.flatMap(({ rest }) => rest)];
  const alone = await mapAtOnce(MAX_READS, single, (output) => collectOne(deps, collecting, output, known));
  return [...grouped.flatMap(({ outcomes }) => outcomes), ...alone];
}
