import type { ServerResponse } from "node:http";

/**
 * One stream of server-sent events over a response that nothing was written to yet. It never holds more than what one
 * write gave it: after `write` answered false, nothing more is to be written until `drained` has resolved.
 */
export interface Sse {
  /** Hands frames on; false when the reader lags. */
  write(frames: string): boolean;
  /** Resolves when the reader has taken what was written: true, or false when the stream has ended. */
  drained(): Promise<boolean>;
  /** Ends the stream after what was written. Safe to call twice. */
  end(): void;
  /** Aborts when the stream has ended, whoever ended it. */
  readonly ended: AbortSignal;
}

export interface SseOptions {
  /** Sent besides those of every stream. */
  headers?: Record<string, string>;
  /** Milliseconds between comments that keep the way open; default 10,000. */
  pingMs?: number;
  /** Milliseconds after which a reader that takes nothing is dropped; default 30,000. */
  stallMs?: number;
}

/** What a reader waits before it connects again, in milliseconds. */
const RETRY_MS = 1_000;

export function openSse(response: ServerResponse, options: SseOptions = {}): Sse {
  const { headers = {}, pingMs = 10_000, stallMs = 30_000 } = options;
  const ended = new AbortController();
  response.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  response.write(`retry: ${RETRY_MS}\n\n`);
  const ping = setInterval(() => {
    if (!response.writableNeedDrain) response.write(":\n\n");
  }, pingMs);
  response.once("close", () => {
    clearInterval(ping);
    ended.abort();
  });
  response.on("error", () => undefined);

  return {
    write: (frames) => !ended.signal.aborted && response.write(frames),
    async drained() {
      if (ended.signal.aborted) return false;
      if (!response.writableNeedDrain) return true;
      return await drainedWithin(response, stallMs);
    },
    end() {
      clearInterval(ping);
      response.end();
      if (response.writableNeedDrain) setTimeout(() => response.destroy(), stallMs).unref();
    },
    ended: ended.signal,
  };
}

/** One frame; `json` is one line. */
export function sseFrame(id: string, event: string, json: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${json}\n\n`;
}

/** A reader that stalls is cut off; it finds the rest by `Last-Event-ID`. */
function drainedWithin(response: ServerResponse, stallMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => response.destroy(), stallMs);
    const settle = (drained: boolean) => () => {
      clearTimeout(stalled);
      response.off("drain", onDrain);
      response.off("close", onClose);
      resolve(drained);
    };
    const onDrain = settle(true);
    const onClose = settle(false);
    response.once("drain", onDrain);
    response.once("close", onClose);
  });
}
