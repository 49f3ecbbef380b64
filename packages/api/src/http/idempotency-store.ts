import { createHash } from "node:crypto";
import type { Queryable } from "@berth/store/db";

/** An idempotency key and the uuid of its token. */
export interface OwnedKey {
  tokenId: string;
  key: string;
}

/** First response under a key. `answer` is sealed, together with the fingerprint of its request. */
export interface SealedResponse {
  status: number;
  answer: Buffer;
}

/** Locks the key, and returns its response; "running" when another transaction holds the lock. */
export async function takeKey(tx: Queryable, owned: OwnedKey): Promise<SealedResponse | "none" | "running"> {
  // The second statement sees what the former holder committed; the first may have started too early for
  // that.
  const { rows } = await tx.query<{ held: boolean }>({
    name: "hold_idempotency_key",
    text: "select pg_try_advisory_xact_lock($1) as held",
    values: [lockOf(owned)],
  });
  return rows[0]?.held === true ? await storedResponse(tx, owned) : "running";
}

async function storedResponse(tx: Queryable, { tokenId, key }: OwnedKey): Promise<SealedResponse | "none"> {
  const { rows } = await tx.query<SealedResponse>({
    name: "kept_answer",
    text: `select status, answer from idempotency_keys
      where token_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
    values: [tokenId, key],
  });
  return rows[0] ?? "none";
}

/** Stores the response under a key that this transaction has locked, over one older than a day. */
export async function storeResponse(
  tx: Queryable,
  { tokenId, key }: OwnedKey,
  { status, answer }: SealedResponse,
): Promise<void> {
  await tx.query({
    name: "keep_answer",
    text: `
      insert into idempotency_keys (token_id, key, status, answer) values ($1, $2, $3, $4)
      on conflict (token_id, key) do update set
        status = excluded.status, answer = excluded.answer, created_at = now()`,
    values: [tokenId, key, status, answer],
  });
}

export async function deleteOldResponses(db: Queryable): Promise<void> {
  await db.query({
    name: "remove_old_idempotency_keys",
    text: "delete from idempotency_keys where created_at < now() - interval '24 hours'",
  });
}

/** Returns the number of the key's advisory lock: 64 bits of a hash, as text. */
function lockOf({ tokenId, key }: OwnedKey): string {
  const hash = createHash("sha256").update(`idempotency key ${tokenId} ${key}`).digest();
  return hash.readBigInt64BE().toString();
}
