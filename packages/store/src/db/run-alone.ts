import type { DatabaseAccess } from "./database-access.ts";

/** Maximum milliseconds for which a hanging process keeps others from the work. */
const MAX_MS = 3_600_000;

/**
 * Runs `work` unless a process of this database is running work of that name. A transaction holds the lock,
 * on a connection that stays open meanwhile. When that breaks, another process may begin, so two runs of the
 * work at once must be safe.
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
