import type { ServerResponse } from "node:http";
import { noteEnd } from "./response-end.ts";

/**
 * A stream of server-sent events over a response to which nothing was written yet. It buffers at most one
 * write: after `write` returned false, the caller must not write until `drained` has resolved.
 */
export interface Sse {
  /** Sends frames. Returns false when the reader lags, or the stream has ended. */
  write(frames: string | Uint8Array): boolean;
  /** Resolves to true when the reader has received what was written, to false when the stream ended. */
  drained(): Promise<boolean>;
  /** Ends the stream after what was written. May be called twice. */
  end(): void;
  /** Signal that aborts when the stream has ended on either side. */
  readonly ended: AbortSignal;
}

export interface SseOptions {
  /** Headers in addition to those of every stream. */
  headers?: Record<string, string>;
  /** Milliseconds between the comments that keep the connection alive. Default: 10,000. */
  pingMs?: number;
  /** Milliseconds after which a reader that receives nothing is disconnected. Default: 30,000. */
  stallMs?: number;
}

/** Milliseconds that a reader waits before it reconnects. */
const RETRY_MS = 1_000;

/** Sends the headers of a stream of server-sent events, and keeps its connection alive. */
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
      if (response.writableNeedDrain) setTimeout(() => disconnect(response), stallMs).unref();
    },
    ended: ended.signal,
  };
}

/** Renders an event as a frame. `json` must be one line. */
export function sseFrame(id: string, event: string, json: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${json}\n\n`;
}

/** Waits for the reader, and disconnects one that stalls; it resumes with `Last-Event-ID`. */
function drainedWithin(response: ServerResponse, stallMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const stalled = setTimeout(() => disconnect(response), stallMs);
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

function disconnect(response: ServerResponse): void {
  noteEnd(response, "stalled");
  response.destroy();
}
