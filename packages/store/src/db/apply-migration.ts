import { setTimeout as pause } from "node:timers/promises";
import type { ClientBase } from "pg";
import { isLockRefused } from "./database-error.ts";
import type { Migration } from "./migrations.ts";
import { inTransaction } from "./transaction.ts";

/**
 * How long a migration waits for a lock at first, and at most. Whoever asks for a table after it waits as long. The first is
 * shorter than the second after which PostgreSQL looks for deadlocks, where it could choose a transaction of a service to end; the
 * last is longer, so that an autovacuum of the table is ended.
 */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 4_000;

interface ApplyOptions {
  onWait?: ((name: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Applies one migration in a transaction of its own. When others have its tables for long, or wait for tables that it has, it is
 * rolled back and tried again after a pause, in which they go on; until it is applied, or the signal aborts.
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
               applied_at timestamptz not null default now()
             );
             alter table schema_migrations add column if not exists requires integer`,
    });
    await tx.query({ text: sql });
    await tx.query({
      text: "insert into schema_migrations (number, name, checksum, requires) values ($1, $2, $3, $4)",
      values: [number, name, checksum, requires],
    });
  });
}
