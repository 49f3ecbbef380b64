import type { Queryable } from "@berth/store/db";
import { HELD, type Lease, leaseValues } from "@berth/store/leases";
import type { ReadAnswer, ReadRequest } from "@berth/store/session-log";

/** A read of a session's disk that a client waits for. `id` is a uuid. */
export interface WaitingRead {
  id: string;
  request: ReadRequest;
}

/** Returns the unanswered reads of a session, oldest first. */
export async function waitingReads(db: Queryable, sessionId: string): Promise<WaitingRead[]> {
  const { rows } = await db.query<{ id: string; request: string }>({
    name: "waiting_reads",
    text: `
      select id, request from workspace_reads
      where session_id = $1 and answered_at is null and expires_at > now() order by id`,
    values: [sessionId],
  });
  return rows.map(({ id, request }) => ({ id, request: JSON.parse(request) as ReadRequest }));
}

/** Answers a read. Returns false when the read was deleted or answered, or the lease is lost. */
export async function answerRead(
  db: Queryable,
  lease: Lease,
  id: string,
  { answer, content }: { answer: ReadAnswer; content: Uint8Array | null },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "answer_read",
    text: `
      update workspace_reads set answered_at = now(), answer = $5, content = $6
      from sessions
      where ${HELD} and workspace_reads.id = $4 and session_id = $1 and answered_at is null`,
    values: [...leaseValues(lease), id, JSON.stringify(answer), content],
  });
  return rowCount === 1;
}
