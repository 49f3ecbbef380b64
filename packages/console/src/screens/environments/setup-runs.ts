import type { EventOf, SessionEvent } from "@berth/sdk";

/** The event types that report a session's preparations. */
export const SETUP_EVENTS = [
  "session.environment_progress",
  "session.container_started",
  "session.error",
] as const;

type Phase = EventOf<"session.environment_progress">["phase"];
type Lowered = EventOf<"session.container_started">["lowered_limits"];

export type SetupRun = {
  at: string;
  steps: { phase: Phase /** Seconds; null while running. */; seconds: number | null }[];
  /** The error messages, each with the end of the output. */
  failures: string[];
  /** Seconds until the container was ready; null while it is not. */
  started: number | null;
  /** Limits that are lower than those of the environment. */
  lowered: Lowered;
};

/** Returns each preparation of a session's container, oldest first. `events` must be in order. */
export function setupRuns(events: readonly SessionEvent[]): SetupRun[] {
  const runs: SetupRun[] = [];
  let open: SetupRun | null = null;
  const current = (at: string): SetupRun => {
    if (open !== null) return open;
    open = { at, steps: [], failures: [], started: null, lowered: undefined };
    runs.push(open);
    return open;
  };
  for (const event of events) {
    if (event.type === "session.environment_progress") addStep(current(event.created_at), event);
    else if (event.type === "session.error" && isSetupError(event))
      current(event.created_at).failures.push(event.error.message);
    else if (event.type === "session.container_started") {
      const run = current(event.created_at);
      run.started = event.seconds;
      run.lowered = event.lowered_limits;
      open = null;
    }
  }
  return runs;
}

/** Returns `building` until the container is ready. */
export function stateOf({ failures, started }: SetupRun): "building" | "failed" | "ready" {
  if (failures.length > 0) return "failed";
  return started === null ? "building" : "ready";
}

function isSetupError({ error }: EventOf<"session.error">): boolean {
  // Failures of a repository's setup are reported with other error types.
  return error.type === "environment_error" || error.type === "sandbox_error";
}

/** Adds a step, or completes the one that was waiting. */
function addStep(run: SetupRun, { phase, seconds }: EventOf<"session.environment_progress">): void {
  const waiting = run.steps.find((step) => step.phase === phase && step.seconds === null);
  if (waiting === undefined) run.steps.push({ phase, seconds });
  else waiting.seconds = seconds;
}
