import type { Draft } from "@berth/agent";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { append, appendStatement, type RunAppend } from "./append-events.ts";

/** The outcome of an attempt to put a resource in place. */
export type PlacementOutcome =
  /** `commit`: the commit of a repository, empty for one without any; null for other resources. */
  | { type: "ready"; commit: string | null }
  /**
   * `inputs`: a digest of the inputs that failed. `attempts`: how many failed in a row if each had a
   * transient reason, else 0.
   */
  | { type: "failed"; failure: string; inputs: string; attempts: number }
  /** The next attempt is due in `waitMs`, unless the row has another revision by then. */
  | { type: "retrying"; waitMs: number; revision: number };

/**
 * Appends as `appendByRun` does, and records the outcome for the resource in the same statement. So a
 * reported outcome is never tried or reported again.
 *
 * @param resourceId a uuid.
 */
export async function appendPlacement(
  db: Queryable,
  lease: Lease,
  drafts: readonly Draft[],
  resourceId: string,
  outcome: PlacementOutcome,
): Promise<RunAppend> {
  const { type } = outcome;
  const values = [resourceId, ...valuesOf(outcome)];
  return await append(db, `append_${type}`, STATEMENTS[type], lease, drafts, values);
}

/** $14 is the resource; the values of the outcome follow. */
const STATEMENTS = {
  ready: placing(`ready_at = now(), base_commit = $15, failed_at = null, failure = null, failed_inputs = null,
    attempts = 0, failing_since = null, retry_at = null`),
  failed: placing(`failed_at = now(), failure = $15, failed_inputs = $16,
    attempts = $17, failing_since = null, retry_at = null`),
  retrying: placing(
    `attempts = attempts + 1, failing_since = coalesce(failing_since, now()),
      retry_at = now() + $15 * interval '1 millisecond'`,
    "and revision = $16",
  ),
};

function placing(assignments: string, condition = ""): string {
  return appendStatement(
    "",
    `, placed as (
      update session_resources set ${assignments}
      from session where session_resources.id = $14 and session_id = $1 ${condition}
    )`,
  );
}

function valuesOf(outcome: PlacementOutcome): (string | number | null)[] {
  switch (outcome.type) {
    case "ready":
      return [outcome.commit];
    case "failed":
      return [outcome.failure, outcome.inputs, outcome.attempts];
    case "retrying":
      return [outcome.waitMs, outcome.revision];
  }
}
