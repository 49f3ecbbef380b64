import type { Standing } from "@berth/sdk";
import type { Palette } from "../terminal/palette.ts";

type Look = { words: string; style: keyof Pick<Palette, "green" | "yellow" | "red" | "dim"> };

const LOOKS: Record<Standing, Look> = {
  running: { words: "running", style: "green" },
  rescheduling: { words: "rescheduling", style: "yellow" },
  requires_action: { words: "waits for you", style: "yellow" },
  repository_failed: { words: "clone failed", style: "red" },
  set_aside: { words: "set aside", style: "red" },
  retries_exhausted: { words: "failed", style: "red" },
  refusal: { words: "refused", style: "red" },
  max_turns: { words: "limit reached", style: "yellow" },
  budget_reached: { words: "budget reached", style: "yellow" },
  cancelled: { words: "interrupted", style: "dim" },
  end_turn: { words: "done", style: "dim" },
  none: { words: "not started", style: "dim" },
  terminated: { words: "terminated", style: "dim" },
  archived: { words: "archived", style: "dim" },
};

/**
 * Returns the state of a session in words. A newer service may have states that this version does not know.
 */
export function standingWords(standing: Standing, palette: Palette): string {
  const look = LOOKS[standing] as Look | undefined;
  return look === undefined ? palette.dim(standing) : palette[look.style](look.words);
}
