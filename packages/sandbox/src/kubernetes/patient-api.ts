import { setTimeout as delay } from "node:timers/promises";
import { plainError } from "./api-status.ts";

/**
 * Milliseconds that the API server may be unavailable before a call fails, since it may be restarted or
 * replaced.
 */
const AWAY_MS = 60_000;
const RETRY_MS = 200;
const TOO_MANY_REQUESTS = 429;

/**
 * Returns an API whose calls are retried while the server, or its storage, is unavailable. A rejected call
 * throws an `ApiError` with the reason. Each call may be made twice.
 */
export function patientApi<T extends object>(api: T): T {
  return withCalls(api, patiently);
}

/** Returns an API whose rejected calls throw an `ApiError` with the reason. Nothing is retried. */
export function plainApi<T extends object>(api: T): T {
  return withCalls(api, async (call) => await call().catch(rejectPlainly));
}

function withCalls<T extends object>(api: T, make: (call: () => Promise<unknown>) => Promise<unknown>): T {
  return new Proxy(api, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...words: unknown[]) => make(() => Reflect.apply(member, target, words));
    },
  });
}

function rejectPlainly(error: unknown): never {
  throw plainError(error);
}

async function patiently<T>(call: () => Promise<T>): Promise<T> {
  const end = performance.now() + AWAY_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isAway(error) || performance.now() > end) throw plainError(error);
      await delay(RETRY_MS);
    }
  }
}

/** Returns whether no response came, or the response asks to try again later. */
function isAway(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "number") return code >= 500 || code === TOO_MANY_REQUESTS;
  return error instanceof TypeError && cause !== undefined;
}
