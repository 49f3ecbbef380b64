import type { EventOf, SessionEvent } from "@berth/sdk";

/** What of a session's log tells about its setup. */
export const SETUP_EVENTS = [
  "session.environment_progress",
  "session.container_started",
  "session.error",
] as const;

type Phase = EventOf<"session.environment_progress">["phase"];
type Lowered = EventOf<"session.container_started">["lowered_limits"];

export type SetupRun = {
  at: string;
  steps: { phase: Phase /** Null while it is waited for. */; seconds: number | null }[];
  /** What went wrong, with the end of the output. */
  failures: string[];
  /** After how long the container was there; null until it is. */
  started: number | null;
  /** Limits that are lower than those of the environment. */
  lowered: Lowered;
};

/** The times that a session's container was made ready, the oldest first. `events` in order. */
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

/** `building` until the container is there. */
export function stateOf({ failures, started }: SetupRun): "building" | "failed" | "ready" {
  if (failures.length > 0) return "failed";
  return started === null ? "building" : "ready";
}

function isSetupError({ error }: EventOf<"session.error">): boolean {
  // The setup of a repository fails under the repository's name.
  return error.type === "environment_error" || error.type === "sandbox_error";
}

/** The end of a wait replaces its start. */
function addStep(run: SetupRun, { phase, seconds }: EventOf<"session.environment_progress">): void {
  const waiting = run.steps.find((step) => step.phase === phase && step.seconds === null);
  if (waiting === undefined) run.steps.push({ phase, seconds });
  else waiting.seconds = seconds;
}
