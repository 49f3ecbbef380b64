import { createHash } from "node:crypto";
import type { Queryable } from "@berth/store/db";

/** An idempotency key and its token. Ids are uuids. */
export interface OwnedKey {
  tokenId: string;
  /** The token's principal, under which responses are stored that predate keys per token. */
  principalId: string;
  key: string;
}

/** First response under a key. `answer` is sealed, together with the fingerprint of its request. */
export interface SealedResponse {
  /** Uuid under which the response is stored: the token's, or the principal's. */
  holder: string;
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

async function storedResponse(
  tx: Queryable,
  { tokenId, principalId, key }: OwnedKey,
): Promise<SealedResponse | "none"> {
  const { rows } = await tx.query<SealedResponse>({
    name: "kept_answer",
    text: `select token_id as holder, status, answer from idempotency_keys
      where token_id = any($1::uuid[]) and key = $2 and created_at > now() - interval '24 hours'`,
    values: [[tokenId, principalId], key],
  });
  return rows[0] ?? "none";
}

/** Stores the response under a key that this transaction has locked, over one older than a day. */
export async function storeResponse(
  tx: Queryable,
  { tokenId, key }: Pick<OwnedKey, "tokenId" | "key">,
  { status, answer }: Omit<SealedResponse, "holder">,
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
