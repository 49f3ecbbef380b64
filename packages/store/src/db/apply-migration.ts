import { setTimeout as pause } from "node:timers/promises";
import type { ClientBase } from "pg";
import { isLockRefused } from "./database-error.ts";
import type { Migration } from "./migrations.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Milliseconds for which a migration waits for a lock at first, and at most. Statements of others queue
 * behind it for the same time. The first wait is shorter than PostgreSQL's `deadlock_timeout` of 1 s, at
 * which it could end a service's transaction. The last is longer, so that PostgreSQL cancels an autovacuum of
 * the table.
 */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 4_000;

interface ApplyOptions {
  onWait?: ((name: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Applies one migration in a transaction of its own. When it cannot get a lock in time or deadlocks, it is
 * rolled back and tried again after a pause, in which others proceed. This goes on until it is applied or the
 * signal aborts.
 */
export async function applyMigration(
  client: ClientBase,
  migration: Migration,
  { onWait, signal }: ApplyOptions = {},
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await tryOnce(client, migration, waitMs);
    } catch (error) {
      if (!isLockRefused(error)) throw error;
      onWait?.(migration.name);
      await pause(waitMs, undefined, { signal });
    }
  }
}

async function tryOnce(
  client: ClientBase,
  { number, name, sql, checksum, requires }: Migration,
  waitMs: number,
): Promise<void> {
  await inTransaction(client, async (tx) => {
    await tx.query({
      text: `set local lock_timeout = ${waitMs};
             create table if not exists schema_migrations (
               number integer primary key,
               name text not null,
               checksum text not null,
               requires integer,
               applied_at timestamptz not null default now()
             )`,
    });
    await tx.query({ text: sql });
    await tx.query({
      text: "insert into schema_migrations (number, name, checksum, requires) values ($1, $2, $3, $4)",
      values: [number, name, checksum, requires],
    });
  });
}
