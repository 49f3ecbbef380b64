import type { Session, TurnOutcome } from "@berth/contract";

/**
 * State of a session in one word. `archived` and `terminated` come first, then its activity (`running`,
 * `rescheduling`). An idle session is `set_aside` when its turns do not run; `repository_failed` when it
 * lacks a repository and its last turn, if any, ended normally; else it has the outcome of its last turn, or
 * `none` when no turn has ended.
 */
export type Standing =
  | "archived"
  | "running"
  | "rescheduling"
  | "terminated"
  | "set_aside"
  | "repository_failed"
  | "none"
  | TurnOutcome;

type Given = Pick<Session, "status" | "archived_at" | "set_aside" | "last_turn" | "resources">;

export function standingOf({ status, archived_at, set_aside, last_turn, resources }: Given): Standing {
  if (archived_at !== null) return "archived";
  if (status !== "idle") return status;
  if (set_aside !== null) return "set_aside";
  const outcome = last_turn?.outcome ?? "none";
  const lacksOne = resources.some((one) => "url" in one && one.error !== null);
  return lacksOne && (outcome === "none" || outcome === "end_turn") ? "repository_failed" : outcome;
}
