import type { Queryable } from "@berth/store/db";

/** Stops the clock of schedules of a test's database at a time. */
export async function setScheduleClock(db: Queryable, time: string): Promise<void> {
  await db.query({
    text: `create or replace function deployment_clock() returns timestamptz language sql volatile as $$ select timestamptz '${time}' $$`,
  });
}
