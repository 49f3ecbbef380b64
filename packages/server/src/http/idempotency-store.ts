import { createHash } from "node:crypto";
import type { Queryable } from "../db/statement.ts";

/** `principalId` is a uuid. */
export interface OwnedKey {
  principalId: string;
  key: string;
}

/** The first answer under a key; `answer` is sealed, with what it answered. */
export interface Kept {
  status: number;
  answer: Buffer;
}

/** Holds the key until the transaction ends, and answers what is kept under it. "running" when another transaction holds it. */
export async function takeKey(tx: Queryable, owned: OwnedKey): Promise<Kept | "none" | "running"> {
  // Two statements: the second sees what the holder before committed, which the first began too early to see.
  const { rows } = await tx.query<{ held: boolean }>({
    name: "hold_idempotency_key",
    text: "select pg_try_advisory_xact_lock($1) as held",
    values: [lockOf(owned)],
  });
  return rows[0]?.held === true ? await keptUnder(tx, owned) : "running";
}

async function keptUnder(tx: Queryable, { principalId, key }: OwnedKey): Promise<Kept | "none"> {
  const { rows } = await tx.query<Kept>({
    name: "kept_answer",
    text: `select status, answer from idempotency_keys
      where principal_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
    values: [principalId, key],
  });
  return rows[0] ?? "none";
}

/** Keeps the answer under a key that this transaction holds and that had none, or one of a day ago. */
export async function keepAnswer(tx: Queryable, owned: OwnedKey, kept: Kept): Promise<void> {
  await tx.query({
    name: "keep_answer",
    text: `
      insert into idempotency_keys (principal_id, key, status, answer) values ($1, $2, $3, $4)
      on conflict (principal_id, key) do update set
        status = excluded.status, answer = excluded.answer, created_at = now()`,
    values: [owned.principalId, owned.key, kept.status, kept.answer],
  });
}

export async function removeOld(db: Queryable): Promise<void> {
  await db.query({
    name: "remove_old_idempotency_keys",
    text: "delete from idempotency_keys where created_at < now() - interval '24 hours'",
  });
}

/** The number of the key's lock, as text: 64 bits of a hash. */
function lockOf({ principalId, key }: OwnedKey): string {
  const hash = createHash("sha256").update(`idempotency key ${principalId} ${key}`).digest();
  return hash.readBigInt64BE().toString();
}
