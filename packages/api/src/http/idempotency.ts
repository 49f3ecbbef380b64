import { createHash } from "node:crypto";
import type { Principal } from "@berth/store/access";
import { asDatabase, type Database, type DatabaseAccess, inSavepoint, type Queryable } from "@berth/store/db";
import { ApiError, errors } from "@berth/store/errors";
import { idempotentResponse, type SecretBox } from "@berth/store/secrets";
import { deleteOldResponses, storeResponse, takeKey } from "./idempotency-store.ts";
import { renderError } from "./render-error.ts";

export interface JsonResponse {
  status: number;
  body: string;
}

/** A response; `replayed` when it is the one to an earlier request. */
export type StoredResponse = JsonResponse & { replayed: boolean };

/**
 * Handles a request once per token and `Idempotency-Key`, however often it is retried. Keys belong to the
 * token, not its principal: a response may contain what a narrower token of the same principal must not see.
 *
 * The handler's changes and the stored response are one transaction: whenever a process dies, both are stored
 * or neither. Responses are stored for 24 hours, sealed, since they may contain a secret. An API error rolls
 * the changes back and is stored too. After a failure, or a rejection for lack of permission, nothing is
 * stored, and the next retry runs the handler.
 */
export interface Idempotency {
  /**
   * Runs `handle`, or returns the stored response.
   *
   * @throws errors.idempotencyKeyReused for another `content`, errors.idempotencyKeyInUse, and failures of
   * `handle`.
   */
  once(
    caller: { principal: Pick<Principal, "tokenId">; requestId: string },
    key: string,
    content: readonly (string | Uint8Array)[],
    handle: (db: DatabaseAccess) => Promise<JsonResponse>,
  ): Promise<StoredResponse>;
  close(): void;
}

const SWEEP_MS = 3_600_000;

/** Stores responses in a database, sealed. Deletes old ones every hour until `close`. */
export function createIdempotency(db: Database, secrets: SecretBox): Idempotency {
  const timer = setInterval(() => deleteOldResponses(db.write).catch(() => undefined), SWEEP_MS).unref();
  return {
    close: () => clearInterval(timer),
    async once({ principal, requestId }, key, content, handle) {
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        const message = "The 'Idempotency-Key' must be 1 to 255 visible ASCII characters.";
        throw errors.invalid(message, "Idempotency-Key");
      }
      const owned = { tokenId: principal.tokenId, key };
      const location = idempotentResponse(principal.tokenId, key);
      const fingerprint = fingerprintOf(content);
      return await db.transaction(async (tx) => {
        const stored = await takeKey(tx, owned);
        if (stored === "running") throw errors.idempotencyKeyInUse();
        if (stored !== "none") {
          const text = secrets.open(location, stored.answer);
          if (!text.startsWith(fingerprint)) throw errors.idempotencyKeyReused();
          return { status: stored.status, body: text.slice(fingerprint.length), replayed: true };
        }
        const { status, body } = await runInPart(tx, handle, requestId);
        await storeResponse(tx, owned, { status, answer: secrets.seal(location, fingerprint + body) });
        return { status, body, replayed: false };
      });
    },
  };
}

/** Returns the handler's response, or that of its API error after a rollback. Rethrows failures. */
async function runInPart(
  tx: Queryable,
  handle: (db: DatabaseAccess) => Promise<JsonResponse>,
  requestId: string,
): Promise<JsonResponse> {
  try {
    return await inSavepoint(tx, () => asDatabase(tx, handle));
  } catch (error) {
    if (!(error instanceof ApiError) || !isStored(error.status)) throw error;
    return renderError(error, requestId);
  }
}

/** Returns whether a response is stored: not a failure, and not a rejection that depends on the caller. */
function isStored(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429;
}

/** Returns a hash of the request, 64 characters, to be sealed: the body may contain a password. */
function fingerprintOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest("hex");
}
