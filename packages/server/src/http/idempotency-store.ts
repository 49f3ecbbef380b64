import { createHash } from "node:crypto";
import type { Queryable } from "../db/statement.ts";

/** `principalId` is a uuid. */
export interface OwnedKey {
  principalId: string;
  key: string;
}

/** The first response under a key; `answer` is sealed, with the fingerprint of its request. */
export interface SealedResponse {
  status: number;
  answer: Buffer;
}

/** Locks the key until the transaction ends, and returns the response stored under it. "running" when another transaction holds the lock. */
export async function takeKey(tx: Queryable, owned: OwnedKey): Promise<SealedResponse | "none" | "running"> {
  // Two statements: the second sees what the former holder committed; the first may have begun too early for that.
  const { rows } = await tx.query<{ held: boolean }>({
    name: "hold_idempotency_key",
    text: "select pg_try_advisory_xact_lock($1) as held",
    values: [lockOf(owned)],
  });
  return rows[0]?.held === true ? await storedResponse(tx, owned) : "running";
}

async function storedResponse(
  tx: Queryable,
  { principalId, key }: OwnedKey,
): Promise<SealedResponse | "none"> {
  const { rows } = await tx.query<SealedResponse>({
    name: "kept_answer",
    text: `select status, answer from idempotency_keys
      where principal_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
    values: [principalId, key],
  });
  return rows[0] ?? "none";
}

/** Stores the response under a key that this transaction has locked. It replaces one that is more than a day old. */
export async function storeResponse(tx: Queryable, owned: OwnedKey, response: SealedResponse): Promise<void> {
  await tx.query({
    name: "keep_answer",
    text: `
      insert into idempotency_keys (principal_id, key, status, answer) values ($1, $2, $3, $4)
      on conflict (principal_id, key) do update set
        status = excluded.status, answer = excluded.answer, created_at = now()`,
    values: [owned.principalId, owned.key, response.status, response.answer],
  });
}

export async function deleteOldResponses(db: Queryable): Promise<void> {
  await db.query({
    name: "remove_old_idempotency_keys",
    text: "delete from idempotency_keys where created_at < now() - interval '24 hours'",
  });
}

/** The number of the key's advisory lock: 64 bits of a hash, as text. */
function lockOf({ principalId, key }: OwnedKey): string {
  const hash = createHash("sha256").update(`idempotency key ${principalId} ${key}`).digest();
  return hash.readBigInt64BE().toString();
}
