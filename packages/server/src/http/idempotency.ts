import { createHash } from "node:crypto";
import type { Database } from "../db/pool.ts";
import type { SecretBox, SecretPlace } from "../secrets/secret-box.ts";
import type { Context } from "./context.ts";
import { ApiError, errors } from "./errors.ts";
import { keptAnswer, release, removeOld, reserve, settle } from "./idempotency-store.ts";
import { renderError } from "./render-error.ts";

export interface KeptAnswer {
  status: number;
  body: string;
  /** This is the answer to an earlier request. */
  replayed: boolean;
}

/**
 * Does the work of a request once per caller and `Idempotency-Key`, whatever the number of tries.
 *
 * What was answered is kept for 24 hours, sealed, since it may show a secret; refusals too, but no failures, after which the
 * next try does the work. A process that dies between its work and keeping the answer leaves the key taken for a minute.
 */
export interface Idempotency {
  /** @throws errors.idempotencyKeyReused for another `request`, errors.idempotencyKeyInUse, and what `work` throws. */
  once(
    context: Context,
    key: string,
    request: readonly (string | Uint8Array)[],
    work: () => Promise<string>,
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
      const owned = { principalId: principal.id, key, fingerprint: fingerprintOf(request) };
      const place: SecretPlace = {
        table: "idempotency_keys",
        row: `${principal.id} ${key}`,
        column: "answer",
      };
      if (!(await reserve(db.write, owned))) {
        const kept = await keptAnswer(db.write, owned);
        if (kept === "other") throw errors.idempotencyKeyReused();
        if (kept === "running") throw errors.idempotencyKeyInUse();
        return { status: kept.status, body: secrets.open(place, kept.answer), replayed: true };
      }
      try {
        const { status, body } = await settled(work, requestId);
        await settle(db.write, { ...owned, status, answer: secrets.seal(place, body) });
        return { status, body, replayed: false };
      } catch (error) {
        await release(db.write, owned).catch(() => undefined);
        throw error;
      }
    },
  };
}

/** The answer, or the refusal as it is told; failures are thrown. */
async function settled(
  work: () => Promise<string>,
  requestId: string,
): Promise<{ status: number; body: string }> {
  try {
    return { status: 200, body: await work() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return renderError(error, requestId);
  }
}

function fingerprintOf(parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = Buffer.from(part);
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest();
}
