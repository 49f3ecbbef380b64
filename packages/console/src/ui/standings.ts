import type { Standing } from "@berth/sdk";
import type { Tone } from "./badge.tsx";

export type Shown = Standing | "deleted";
export type Look = { tone: Tone; text: string; live?: boolean };

/** The states of a session, each as a label. */
export const STANDINGS: Readonly<Record<Shown, Look>> = {
  running: { tone: "info", text: "Running", live: true },
  rescheduling: { tone: "warn", text: "Waiting to retry", live: true },
  requires_action: { tone: "warn", text: "Needs an answer" },
  repository_failed: { tone: "bad", text: "Clone failed" },
  set_aside: { tone: "bad", text: "Set aside" },
  retries_exhausted: { tone: "bad", text: "Failed" },
  refusal: { tone: "bad", text: "Refused" },
  max_turns: { tone: "warn", text: "Limit reached" },
  budget_reached: { tone: "warn", text: "Budget reached" },
  cancelled: { tone: "neutral", text: "Interrupted" },
  end_turn: { tone: "neutral", text: "Done" },
  none: { tone: "neutral", text: "Not started" },
  terminated: { tone: "neutral", text: "Terminated" },
  archived: { tone: "neutral", text: "Archived" },
  deleted: { tone: "bad", text: "Deleted" },
};
