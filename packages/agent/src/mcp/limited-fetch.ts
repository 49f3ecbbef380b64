import { setTimeout as pause } from "node:timers/promises";
import type { GuardedFetch } from "@berth/egress";
import { jsonMeter } from "./json-size-limit.ts";

/** An answer is longer, of more parts or deeper than whoever asked wants to hold. */
export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";
}

/** A stream that ended is asked for again when its server says so, but not more often. */
const BETWEEN_STREAMS_MS = 1_000;

/**
 * The same fetch, with answers of at most `longest` bytes, and of JSON that takes no longer to read than such an answer
 * should: of small parts, a few megabytes keep a process busy for minutes. One beyond that fails where it exceeds it, and
 * is told.
 */
export function limitedFetch(
  fetch: GuardedFetch,
  longest: number,
  onExceeded: (error: ResponseTooLarge) => void,
): GuardedFetch {
  let nextStream = 0;

  async function turnOfStream(signal: AbortSignal | null | undefined): Promise<void> {
    const now = performance.now();
    const wait = nextStream - now;
    nextStream = Math.max(now, nextStream) + BETWEEN_STREAMS_MS;
    if (wait > 0) await pause(wait, undefined, signal == null ? {} : { signal });
  }

  return async (url, init) => {
    if (init?.method === "GET") await turnOfStream(init.signal);
    const answer = await fetch(url, init);
    if (answer.body === null) return answer;
    let bytes = 0;
    const exceeds = jsonMeter();
    const countOf = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, stream) {
          bytes += chunk.length;
          if (bytes <= longest && !exceeds(chunk)) {
            stream.enqueue(chunk);
            return;
          }
          const error = new ResponseTooLarge(
            `An answer is longer than ${longest} bytes, or of too many parts.`,
          );
          stream.error(error);
          onExceeded(error);
        },
      }),
    );
    return new Response(countOf, answer);
  };
}
