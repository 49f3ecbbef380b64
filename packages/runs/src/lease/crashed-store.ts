import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { HELD, type Lease, type LeasedSession, leaseValues } from "@berth/store/leases";
import { ADD_ACTIVE_TIME, newEventRow, SET_EVENT_TIME } from "@berth/store/session-log";

/** The operator's log line for a session that was set aside. */
export const SET_ASIDE =
  "a session was set aside, because the process that ran its turn crashed or froze twice in a row; its owner can release it";

/**
 * Records that a worker has crashed or frozen: counts it in each session whose turn the worker ran, and ends
 * their leases. A session that had a crash before is set aside if it was the only such session in a turn. Its
 * log says so, and it gets no turn until it is released. The other sessions continue. Returns the sessions
 * that were set aside.
 *
 * A session that had a crash before counts as in a turn only once its trial has begun.
 */
export async function recordCrash(
  db: Pick<DatabaseAccess, "transaction">,
  owner: string,
): Promise<LeasedSession[]> {
  return await db.transaction(async (tx) => {
    const { rows } = await tx.query<LeasedSession & { isGuilty: boolean }>({
      name: "note_crash",
      text: `
        with held as materialized (
          select id, status = 'running' and (runner_crashes = 0 or trial_epoch = lease_epoch) as at_work,
            runner_crashes > 0 as is_suspect
          from sessions where lease_owner = $1 for no key update
        ), judged as (
          select *, at_work and is_suspect and (
            select count(*) = 1 from held as other where other.at_work and other.is_suspect
          ) as is_guilty
          from held
        )
        update sessions set
          runner_crashes = runner_crashes + 1, lease_owner = null, lease_until = null, lease_epoch = lease_epoch + 1,
          pending_at = coalesce(pending_at, now())
        from judged where sessions.id = judged.id and at_work
        returning sessions.id as "sessionId", organization_id as "organizationId", is_guilty as "isGuilty"`,
      values: [owner],
    });
    const guilty = rows.filter(({ isGuilty }) => isGuilty);
    for (const { sessionId } of guilty) await setAside(tx, sessionId);
    return guilty;
  });
}

const MESSAGE =
  "The session was set aside, because the process that ran its turn crashed or froze twice in a row. It runs no turn until it is released, so that it does not disturb other sessions.";

/** Sets the session aside and ends its turn. Waiting messages keep waiting. */
async function setAside(tx: Queryable, id: string): Promise<void> {
  const retry_status = { type: "terminal" as const };
  const rows = [
    newEventRow({
      event: {
        type: "session.error",
        error: { type: "session_set_aside_error", message: MESSAGE, retry_status },
      },
    }),
    newEventRow({ event: { type: "session.status_idle", stop_reason: { type: "retries_exhausted" } } }),
  ];
  await tx.query({
    name: "set_aside",
    text: `
      with session as (
        update sessions set set_aside_at = now(), status = 'idle', idle_since = now(), ${ADD_ACTIVE_TIME},
          last_turn_outcome = 'retries_exhausted', last_turn_ended_at = now(), updated_at = now(),
          pending_at = null,
          last_seq = last_seq + cardinality($2::uuid[]), ${SET_EVENT_TIME}
        where id = $1 returning last_seq, last_event_at
      )
      insert into events (session_id, seq, id, type, body, created_at, processed_at)
      select $1, session.last_seq - cardinality($2::uuid[]) + told.place, told.id, told.type, told.body,
        last_event_at, last_event_at
      from session, unnest($2::uuid[], $3::text[], $4::text[]) with ordinality as told (id, type, body, place)`,
    values: [id, rows.map((row) => row.id), rows.map((row) => row.type), rows.map((row) => row.body)],
  });
}

/** Records that a turn of a session with crashes begins under this lease. */
export async function beginTrial(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "begin_trial",
    text: `update sessions set trial_epoch = lease_epoch where ${HELD}`,
    values: leaseValues(lease),
  });
}
