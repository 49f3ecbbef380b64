import { setIdClock } from "@berth/contract";
import type { Queryable } from "./statement.ts";

/** Milliseconds between two readings of the database's clock. */
const EVERY_MS = 5_000;
/**
 * Number of readings that count. The best of them is the one whose reply was fastest; older ones miss how the
 * clocks have drifted since.
 */
const LOOKS = 6;

/** SQL for milliseconds since 1970 by the database's clock. */
export const DATABASE_MILLISECONDS = "(extract(epoch from clock_timestamp()) * 1000)::float8";

/**
 * Readings of the database's clock minus this process's monotonic clock at the reply, in milliseconds. The
 * newest is last.
 */
const offsets: number[] = [];

/**
 * Returns the database's clock in milliseconds since 1970, as far as this process knows it. It lags by the
 * time of a reply and is never ahead.
 *
 * Use it for times that are stored or compared with stored times, where no statement supplies them. The
 * process's own clock may differ, be wrong, or be set meanwhile; it counts only until the first connection.
 */
export function databaseNow(): number {
  return offsets.length === 0 ? Date.now() : Math.floor(performance.now() + Math.max(...offsets));
}

/**
 * Records a result of `DATABASE_MILLISECONDS`. After the first one, ids take their time from the database's
 * clock.
 */
export function noteDatabaseTime(milliseconds: number): void {
  if (offsets.length === 0) setIdClock(databaseNow);
  offsets.push(milliseconds - performance.now());
  if (offsets.length > LOOKS) offsets.shift();
}

/** Reads the clock every few seconds until closed. A failed reading is tried again at the next interval. */
export function followDatabaseClock({ query }: Queryable): { close(): void } {
  const look = async () => {
    const text = `select ${DATABASE_MILLISECONDS} as now`;
    const { rows } = await query<{ now: number }>({ name: "clock", text });
    for (const { now } of rows) noteDatabaseTime(now);
  };
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS).unref();
  return { close: () => clearInterval(timer) };
}
