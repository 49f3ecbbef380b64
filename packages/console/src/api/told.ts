import type { Session } from "@berth/sdk";

/** When the outcomes ended of which a browser has told, by session. */
export type Told = Readonly<Record<string, string>>;

/** Older outcomes are no news, such as those of the night before a laptop is opened. */
const FRESH_MS = 15 * 60_000;

type Outcome = Pick<Session, "id" | "last_turn" | "resources" | "updated_at">;

const KEY = "berth.notify.told";

/** Reads what this browser has told. */
export function readTold(): Told {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Told;
  } catch {
    return {};
  }
}

/** Notes sessions as told, such as those that the user marks as unseen. */
export function noteTold(sessions: readonly Outcome[]): void {
  localStorage.setItem(KEY, JSON.stringify(withTold(readTold(), sessions, Date.now())));
}

/** Returns whether a session came to something just now of which nobody was told. */
export function isNews(told: Told, session: Outcome, now: number): boolean {
  const at = endOf(session);
  return told[session.id] !== at && now - Date.parse(at) < FRESH_MS;
}

/** Returns what was told, with these sessions, and without what is no news any more. */
export function withTold(told: Told, sessions: readonly Outcome[], now: number): Told {
  const all = { ...told, ...Object.fromEntries(sessions.map((session) => [session.id, endOf(session)])) };
  return Object.fromEntries(Object.entries(all).filter(([, at]) => now - Date.parse(at) < FRESH_MS));
}

/** The end of the last turn, or a later failure of a clone. */
function endOf({ last_turn, resources, updated_at }: Outcome): string {
  const failures = resources.flatMap((one) =>
    "url" in one && one.error !== null ? [one.error.failed_at] : [],
  );
  const ends = last_turn === null ? failures : [last_turn.ended_at, ...failures];
  return ends.toSorted().at(-1) ?? updated_at;
}
