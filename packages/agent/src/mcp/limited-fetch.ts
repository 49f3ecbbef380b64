import { setTimeout as delay } from "node:timers/promises";
import type { GuardedFetch } from "@berth/egress";
import { JsonSizeLimit } from "./json-size-limit.ts";

/** Thrown when a response has more bytes, more JSON values or deeper nesting than allowed. */
export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";
}

/** Minimum time between GET requests: a server that ends its stream at once would cause a busy loop. */
const MIN_STREAM_INTERVAL_MS = 1_000;

/**
 * Creates a fetch that limits responses to `maxBytes` and to JSON that is quick to parse: millions of small
 * values would block the process for seconds. A body that exceeds the limits fails at that point, and
 * `onExceeded` is called.
 */
export function limitedFetch(
  fetch: GuardedFetch,
  maxBytes: number,
  onExceeded: (error: ResponseTooLarge) => void,
): GuardedFetch {
  let nextStream = 0;

  async function waitForStream(signal: AbortSignal | null | undefined): Promise<void> {
    const now = performance.now();
    const wait = nextStream - now;
    nextStream = Math.max(now, nextStream) + MIN_STREAM_INTERVAL_MS;
    if (wait > 0) await delay(wait, undefined, signal == null ? {} : { signal });
  }

  return async (url, init) => {
    if (init?.method === "GET") await waitForStream(init.signal);
    const response = await fetch(url, init);
    if (response.body === null) return response;
    let bytes = 0;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const json = new JsonSizeLimit(isStream);
    const limited = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, stream) {
          bytes += chunk.length;
          if (bytes <= maxBytes && !json.exceededBy(chunk)) {
            stream.enqueue(chunk);
            return;
          }
          const error = new ResponseTooLarge(`A response exceeds ${maxBytes} bytes or the limits of JSON.`);
          stream.error(error);
          onExceeded(error);
        },
      }),
    );
    return new Response(limited, response);
  };
}
