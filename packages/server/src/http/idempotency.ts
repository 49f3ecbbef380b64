import { createHash } from "node:crypto";
import type { DatabaseAccess } from "../db/database-access.ts";
import type { Database } from "../db/pool.ts";
import type { Queryable } from "../db/statement.ts";
import { asDatabase } from "../db/transaction.ts";
import { idempotentResponse } from "../secrets/sealed-columns.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import { ApiError } from "./api-error.ts";
import type { Context } from "./context.ts";
import { errors } from "./errors.ts";
import { keepAnswer, type OwnedKey, removeOld, takeKey } from "./idempotency-store.ts";
import { renderError } from "./render-error.ts";

/** A status with the text of a body. */
export interface Answered {
  status: number;
  body: string;
}

/** `replayed`: this is the answer to an earlier request. */
export type KeptAnswer = Answered & { replayed: boolean };

/**
 * Does the work of a request once per caller and `Idempotency-Key`, whatever the number of tries.
 *
 * Work and kept answer are one transaction: there are both or neither, at whatever instant a process dies. Answers are kept
 * for 24 hours, sealed, since they may show a secret. A refusal undoes the work and is kept too; after a failure nothing
 * is, and the next try does the work.
 */
export interface Idempotency {
  /** @throws errors.idempotencyKeyReused for another `request`, errors.idempotencyKeyInUse, and failures of `work`. */
  once(
    context: Pick<Context, "principal" | "requestId">,
    key: string,
    request: readonly (string | Uint8Array)[],
    work: (db: DatabaseAccess) => Promise<Answered>,
  ): Promise<KeptAnswer>;
  close(): void;
}

const SWEEP_MS = 3_600_000;

export function createIdempotency(db: Database, secrets: SecretBox): Idempotency {
  const timer = setInterval(() => removeOld(db.write).catch(() => undefined), SWEEP_MS).unref();
  return {
    close: () => clearInterval(timer),
    async once({ principal, requestId }, key, request, work) {
      if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
        const message = "The 'Idempotency-Key' must be 1 to 255 visible ASCII characters.";
        throw errors.invalid(message, "Idempotency-Key");
      }
      const owned: OwnedKey = { principalId: principal.id, key };
      const location = idempotentResponse(principal.id, key);
      const fingerprint = fingerprintOf(request);
      return await db.transaction(async (tx) => {
        const kept = await takeKey(tx, owned);
        if (kept === "running") throw errors.idempotencyKeyInUse();
        if (kept !== "none") {
          const sealed = secrets.open(location, kept.answer);
          if (!sealed.startsWith(fingerprint)) throw errors.idempotencyKeyReused();
          return { status: kept.status, body: sealed.slice(fingerprint.length), replayed: true };
        }
        const { status, body } = await settled(tx, work, requestId);
        await keepAnswer(tx, owned, { status, answer: secrets.seal(location, fingerprint + body) });
        return { status, body, replayed: false };
      });
    },
  };
}

/** The answer, or the refusal as it is told, which leaves nothing of the work; failures are thrown. */
async function settled(
  tx: Queryable,
  work: (db: DatabaseAccess) => Promise<Answered>,
  requestId: string,
): Promise<Answered> {
  try {
    return await asDatabase(tx, work);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return renderError(error, requestId);
  }
}

/** 64 characters that tell one request from another. Sealed with the answer: its body may hold a password. */
function fingerprintOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest("hex");
}
