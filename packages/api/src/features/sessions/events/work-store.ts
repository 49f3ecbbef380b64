import type { Queryable } from "@berth/store/db";
import type { Limit } from "@berth/store/limits";

type Subject = Pick<Limit, "kind" | "id">;

const columnOf = ({ kind }: Subject) => (kind === "organization" ? "organization_id" : "owner_id");

/** Returns the seconds for which sandboxes were open today (UTC), and the seconds until the day ends. */
export async function sandboxSecondsToday(
  db: Queryable,
  subject: Subject,
): Promise<{ seconds: number; secondsLeft: number }> {
  const { rows } = await db.query<{ seconds: number; secondsLeft: number }>({
    name: `sandbox_seconds_of_${subject.kind}`,
    text: `
      select coalesce(sum(seconds), 0)::double precision as seconds,
        extract(epoch from date_trunc('day', now() at time zone 'utc') + interval '1 day'
          - (now() at time zone 'utc'))::double precision as "secondsLeft"
      from sandbox_usage where ${columnOf(subject)} = $1 and day = (now() at time zone 'utc')::date`,
    values: [subject.id],
  });
  return rows[0] ?? { seconds: 0, secondsLeft: 0 };
}

/** Returns the bytes of the sessions' disks at their last measurement. */
export async function diskBytes(db: Queryable, subject: Subject): Promise<number> {
  const { rows } = await db.query<{ bytes: number }>({
    name: `disk_bytes_of_${subject.kind}`,
    text: `select coalesce(sum(bytes), 0)::double precision as bytes from disk_usage where ${columnOf(subject)} = $1`,
    values: [subject.id],
  });
  return rows[0]?.bytes ?? 0;
}

/** Counts an owner's sessions with a running turn. */
export async function runningTurns(db: Queryable, subject: Subject): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: `running_turns_of_${subject.kind}`,
    text: `select count(*)::integer as count from sessions
      where ${columnOf(subject)} = $1 and status in ('running', 'rescheduling') and deleted_at is null`,
    values: [subject.id],
  });
  return rows[0]?.count ?? 0;
}
