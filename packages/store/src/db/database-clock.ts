import { setIdClock } from "@berth/contract";
import type { Queryable } from "./statement.ts";

/** How often a process that has a database open looks at its clock. */
const EVERY_MS = 5_000;
/** Looks that count. The best of them is the one whose answer came fastest; older ones do not know how the clocks drifted. */
const LOOKS = 6;

/** SQL: milliseconds since 1970 by the clock of the database. */
export const DATABASE_MILLISECONDS = "(extract(epoch from clock_timestamp()) * 1000)::float8";

/** What the database's clock showed when it was asked, less this process's steady clock when the answer was there. Newest last. */
const offsets: number[] = [];

/**
 * Milliseconds since 1970 by the clock of the database, as far as this process knows it: behind by the time that an answer takes, and not
 * ahead. What is stored, or compared with what is stored, takes its time from here where no statement gives it. The process's own clock may
 * be another machine's, wrong, and set meanwhile; it counts only until a first connection was made.
 */
export function databaseNow(): number {
  return offsets.length === 0 ? Date.now() : Math.floor(performance.now() + Math.max(...offsets));
}

/** Notes what `DATABASE_MILLISECONDS` has just returned. Ids have their time from the database's clock from then on. */
export function noteDatabaseTime(milliseconds: number): void {
  if (offsets.length === 0) setIdClock(databaseNow);
  offsets.push(milliseconds - performance.now());
  if (offsets.length > LOOKS) offsets.shift();
}

/** Looks at the clock every few seconds until it is closed. What fails is tried again then. */
export function followDatabaseClock({ query }: Queryable): { close(): void } {
  const look = async () => {
    const text = `select ${DATABASE_MILLISECONDS} as now`;
    const { rows } = await query<{ now: number }>({ name: "clock", text });
    for (const { now } of rows) noteDatabaseTime(now);
  };
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS).unref();
  return { close: () => clearInterval(timer) };
}
