import { setTimeout as delay } from "node:timers/promises";
import { plainError } from "./api-status.ts";

/** How long the API server may be away before a call fails: it is restarted, or another takes its place. */
const AWAY_MS = 60_000;
const RETRY_MS = 200;
const TOO_MANY_REQUESTS = 429;

/**
 * The same API, whose calls are made again while the server, or its storage, is away, and which says why one is refused by an `ApiError`. Each
 * call may be made twice.
 */
export function patientApi<T extends object>(api: T): T {
  return withCalls(api, patiently);
}

/** The same API, which says why a call is refused by an `ApiError`. */
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

/** No answer came, or one that asks for patience. */
function isAway(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === "number") return code >= 500 || code === TOO_MANY_REQUESTS;
  return error instanceof TypeError && cause !== undefined;
}
