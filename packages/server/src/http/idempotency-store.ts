import type { Queryable } from "../db/statement.ts";

/** A key with the request that it is used for. `principalId` is a uuid. */
export interface OwnedKey {
  principalId: string;
  key: string;
  fingerprint: Buffer;
}

/** How long a first request may be under way before another try of it does the work. */
const LOCK_SECONDS = 60;

/** Takes the key: true when it is free, was used a day ago or more, or was left by a try that never ended. */
export async function reserve(db: Queryable, { principalId, key, fingerprint }: OwnedKey): Promise<boolean> {
  const { rowCount } = await db.query({
    name: "reserve_idempotency_key",
    text: `
      insert into idempotency_keys as held (principal_id, key, fingerprint, locked_until)
      values ($1, $2, $3, now() + interval '${LOCK_SECONDS} seconds')
      on conflict (principal_id, key) do update set
        fingerprint = excluded.fingerprint, status = null, answer = null,
        locked_until = excluded.locked_until, created_at = now()
      where held.created_at < now() - interval '24 hours'
        or (held.status is null and held.locked_until < now() and held.fingerprint = excluded.fingerprint)`,
    values: [principalId, key, fingerprint],
  });
  return rowCount === 1;
}

/** What is kept under a key that was not free: of this request, of one under way, or of another. */
export async function keptAnswer(
  db: Queryable,
  { principalId, key, fingerprint }: OwnedKey,
): Promise<{ status: number; answer: Buffer } | "running" | "other"> {
  const { rows } = await db.query<{ same: boolean; status: number | null; answer: Buffer | null }>({
    name: "kept_answer",
    text: `select fingerprint = $3 as same, status, answer from idempotency_keys
      where principal_id = $1 and key = $2`,
    values: [principalId, key, fingerprint],
  });
  const [row] = rows;
  if (row === undefined || (row.same && row.status === null)) return "running";
  if (!row.same || row.status === null || row.answer === null) return "other";
  return { status: row.status, answer: row.answer };
}

export async function settle(
  db: Queryable,
  { principalId, key, fingerprint, status, answer }: OwnedKey & { status: number; answer: Buffer },
): Promise<void> {
  await db.query({
    name: "settle_idempotency_key",
    text: `update idempotency_keys set status = $4, answer = $5
      where principal_id = $1 and key = $2 and fingerprint = $3`,
    values: [principalId, key, fingerprint, status, answer],
  });
}

/** Gives the key back after a failure. */
export async function release(db: Queryable, { principalId, key, fingerprint }: OwnedKey): Promise<void> {
  await db.query({
    name: "release_idempotency_key",
    text: `delete from idempotency_keys
      where principal_id = $1 and key = $2 and fingerprint = $3 and status is null`,
    values: [principalId, key, fingerprint],
  });
}

export async function removeOld(db: Queryable): Promise<void> {
  await db.query({
    name: "remove_old_idempotency_keys",
    text: "delete from idempotency_keys where created_at < now() - interval '24 hours'",
  });
}
