import type { DatabaseAccess } from "./database-access.ts";

/** A process that hangs keeps others from the work for at most this long. */
const MAX_MS = 3_600_000;

/**
 * Runs `work` unless a process of this database runs work of that name now. The lock is a transaction's, on a connection that
 * waits meanwhile: when it breaks, another process may begin, so that the work has to be safe beside itself.
 *
 * @returns false when another process runs it.
 */
export async function runAlone(
  db: DatabaseAccess,
  name: string,
  work: () => Promise<void>,
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const text = "select pg_try_advisory_xact_lock(hashtextextended('alone ' || $1, 0)) as held";
    const { rows } = await tx.query<{ held: boolean }>({ text, values: [name] });
    if (rows[0]?.held !== true) return false;
    await tx.query({ text: `set local idle_in_transaction_session_timeout = ${MAX_MS}` });
    await work();
    return true;
  });
}
