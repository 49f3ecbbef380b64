import type { Session, TurnOutcome } from "@berth/contract";

/**
 * How a session stands, in one word. `archived` and `terminated` come first, then what it does now (`running`, `rescheduling`), then how it
 * rests: `set_aside` when no turn of it is run, `repository_failed` when it lacks a repository and its agent is not known to have had trouble besides, else what its last turn
 * came to. `none`: no turn has ended.
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
  // A service of the release before does not say it.
  if ((set_aside ?? null) !== null) return "set_aside";
  const outcome = last_turn?.outcome ?? "none";
  const lacksOne = resources.some((one) => "url" in one && one.error !== null);
  return lacksOne && (outcome === "none" || outcome === "end_turn") ? "repository_failed" : outcome;
}
