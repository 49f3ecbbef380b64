import { LeaseLost, type LogEntry } from "@berth/agent";
import { CALL_REPLY_TYPES } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { type Lease, leaseValues } from "@berth/store/leases";
import { logEntry, newEventRow } from "@berth/store/session-log";
import type { SessionState } from "./session-state.ts";

/** The state of a session, and the turn that was begun. */
export interface Beginning {
  /** The state as `clearPending` returns it; running when the turn began. */
  state: SessionState;
  /** The `session.status_running`; null when no turn began. */
  running: LogEntry | null;
  /** The number of events before it that no request has included. */
  waiting: number;
}

interface Row extends Omit<SessionState, "crashes" | "setAside"> {
  began_seq: number | null;
  began_at: Date;
  messages: number | null;
}

/**
 * Does what `clearPending` does. In the same statement it begins a turn if messages wait and nothing else
 * must be done first: no interrupt waits, and no call waits for a client.
 *
 * @throws LeaseLost
 */
export async function beginTurn(db: Queryable, lease: Lease): Promise<Beginning> {
  const event = newEventRow({ event: { type: "session.status_running" } });
  const { rows } = await db.query<Row>({
    name: "begin_turn",
    text: `select status, archived, terminated, deleted, resting, began_seq, began_at, messages
      from begin_turn($1, $2, $3, $4, $5, $6, $7)`,
    values: [...leaseValues(lease), event.id, event.type, event.body, CALL_REPLY_TYPES],
  });
  const [row] = rows;
  if (row === undefined) throw new LeaseLost();
  const { began_seq: seq, began_at, messages, ...found } = row;
  // A session that was set aside is not held, and one with crashes is not begun this way.
  const state = { ...found, crashes: 0, setAside: false };
  const running =
    seq === null ? null : logEntry({ ...event, seq, created_at: began_at, processed_at: began_at });
  return { state, running, waiting: messages ?? 0 };
}
