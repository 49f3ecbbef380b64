import { formatId, parseId } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";

/**
 * Stores the output of calls that have no result yet, by the ids of their tool use events. It survives the
 * process that runs them.
 */
export interface OutputStore {
  write(printed: ReadonlyMap<string, string>): Promise<void>;
  read(eventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Deletes the stored output of the session. Called when no call of the session runs. */
  clear(): Promise<void>;
}

/** Creates the store of the lease's session. Writes and deletions have no effect once the lease is lost. */
export function outputStore(db: { write: Queryable }, lease: Lease): OutputStore {
  return {
    write: (printed) => storeCallOutputs(db.write, lease, printed),
    read: (eventIds) => readCallOutputs(db.write, lease.sessionId, eventIds),
    clear: () => clearCallOutputs(db.write, lease),
  };
}

/** Stores the output of calls, if the lease is held. @param printed texts without secrets. */
export async function storeCallOutputs(
  db: Queryable,
  lease: Lease,
  printed: ReadonlyMap<string, string>,
): Promise<void> {
  const calls = [...printed.keys()].map((id) => parseId("event", id));
  await db.query({
    name: "store_call_outputs",
    text: `
      with held as (
        select id from sessions where ${HELD} and terminated_at is null for no key update
      )
      insert into call_outputs (session_id, call_id, printed)
      select held.id, given.call, given.printed from held, unnest($4::uuid[], $5::text[]) as given (call, printed)
      on conflict (session_id, call_id) do update set printed = excluded.printed`,
    values: [...leaseValues(lease), calls, [...printed.values()]],
  });
}

async function readCallOutputs(
  db: Queryable,
  sessionId: string,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ call_id: string; printed: string }>({
    name: "read_call_outputs",
    text: "select call_id, printed from call_outputs where session_id = $1 and call_id = any($2::uuid[])",
    values: [sessionId, eventIds.map((id) => parseId("event", id))],
  });
  return new Map(rows.map(({ call_id, printed }) => [formatId("event", call_id), printed]));
}

/** Deletes the stored output of the lease's session, if the lease is held. */
export async function clearCallOutputs(db: Queryable, lease: Lease): Promise<void> {
  await db.query({
    name: "clear_call_outputs",
    text: `
      delete from call_outputs using sessions
      where ${HELD} and call_outputs.session_id = $1`,
    values: leaseValues(lease),
  });
}
