/** Internals of this package for tests of other packages. */
export {
  appendByRun,
  appendIdle,
  appendRunning,
  appendTakingInputs,
  takeReplies,
} from "../../src/lease/append-events.ts";
export { appendPlacement, type PlacementOutcome } from "../../src/lease/append-placement.ts";
export { claimRuns, releaseRun } from "../../src/lease/claim-runs.ts";
export { beginTrial, recordCrash } from "../../src/lease/crashed-store.ts";
export { clearPending } from "../../src/lease/session-state.ts";
