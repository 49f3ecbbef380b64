import type { EventDelta, EventStart, SessionEvent, ToolOutput } from "@berth/contract";
import { BerthError, ConnectionError, TimeoutError } from "../transport/errors.ts";
import { isTransient } from "../transport/retry.ts";
import { type Frame, FrameParser } from "./server-sent-events.ts";

/** An event of the log, or a preview: of an event that is being written, or of a command's output. */
export type StreamFrame = SessionEvent | EventStart | EventDelta | ToolOutput;

/** Delays before a reconnection in milliseconds, by the number of connections in a row without an event. */
const RECONNECT_DELAYS_MS = [250, 1_000, 2_000, 4_000, 8_000, 15_000];
/** Milliseconds after which a connection resets the delay even without an event. */
const GOOD_CONNECTION_MS = 10_000;

/** The calls of the API that `followLog` needs. */
export interface LogSource {
  /** Opens the stream after that event; null for the start. Only the `first` call is retried on its own. */
  open(after: string | null, first: boolean): Promise<Response>;
  /** Returns the newest event of the log, or null if the log is empty. */
  newest(): Promise<SessionEvent | null>;
  wait(milliseconds: number): Promise<void>;
  /** Called before each wait. The error is null if the server closed the stream normally. */
  onReconnect(error: unknown, wait: number): void;
  /** Milliseconds without data after which a connection is replaced. */
  silence: number;
  signal: AbortSignal | undefined;
}

/**
 * Yields the events of a log, each once and in order, over as many connections as needed, and previews if the
 * connections ask for them. `after` is the event to continue from: null for the start of the log, undefined
 * for its end. Ends after `session.status_terminated` or `session.deleted`, and when the signal aborts.
 * Throws errors that a reconnection does not solve: an error response, or a failure of the first connection.
 */
export async function* followLog(
  source: LogSource,
  after: string | null | undefined,
): AsyncGenerator<StreamFrame, void> {
  try {
    yield* follow(source, after);
  } catch (error) {
    if (!source.signal?.aborted) throw error;
  }
}

async function* follow(
  source: LogSource,
  beginning: string | null | undefined,
): AsyncGenerator<StreamFrame, void> {
  // Without the newest event as its position, events that are appended while there is no connection would be
  // missed.
  const newest = beginning === undefined ? await source.newest() : null;
  if (newest?.type === "session.status_terminated") return;
  let after = beginning ?? newest?.id ?? null;
  let response = await source.open(after, true);
  for (let barren = 0; ; ) {
    const opened = Date.now();
    let failure: unknown = null;
    let heard = false;
    try {
      for await (const frame of framesOf(response, source.silence)) {
        if (frame.id !== null && frame.id === after) continue;
        heard = true;
        after = frame.id ?? after;
        const event = eventIn(frame);
        yield event;
        if (event.type === "session.status_terminated" || event.type === "session.deleted") return;
      }
    } catch (error) {
      if (source.signal?.aborted || !isTransient(error)) throw error;
      failure = error;
    }
    if (!heard && failure === null && (await endedAt(source, after))) return;
    barren = heard || Date.now() - opened > GOOD_CONNECTION_MS ? 0 : barren + 1;
    response = await reopen(source, after, barren, failure);
  }
}

async function reopen(
  source: LogSource,
  after: string | null,
  barren: number,
  failure: unknown,
): Promise<Response> {
  for (let tries = barren; ; tries++) {
    const wait = RECONNECT_DELAYS_MS[Math.min(tries, RECONNECT_DELAYS_MS.length - 1)] ?? 0;
    source.onReconnect(failure, wait);
    await source.wait(wait);
    try {
      return await source.open(after, false);
    } catch (error) {
      if (!isTransient(error)) throw error;
      failure = error;
    }
  }
}

/** Returns whether the log is complete: its last event is the session's termination, and it was read. */
async function endedAt(source: LogSource, after: string | null): Promise<boolean> {
  try {
    const newest = await source.newest();
    return newest?.type === "session.status_terminated" && newest.id === after;
  } catch (error) {
    if (isTransient(error)) return false;
    throw error;
  }
}

async function* framesOf(response: Response, silence: number): AsyncGenerator<Frame, void> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const parser = new FrameParser();
  try {
    for (;;) {
      const chunk = await within(silence, reader.read());
      if (chunk.done) return;
      yield* parser.push(chunk.value);
    }
  } catch (error) {
    if (error instanceof BerthError) throw error;
    throw new ConnectionError("The stream was interrupted.", { cause: error });
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function within<T>(milliseconds: number, reading: Promise<T>): Promise<T> {
  const error = new TimeoutError(`The stream was silent for ${milliseconds} ms.`);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(error), milliseconds);
    reading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function eventIn(frame: Frame): StreamFrame {
  try {
    return JSON.parse(frame.data) as StreamFrame;
  } catch (cause) {
    throw new BerthError(`A frame of the stream is not JSON (${frame.event}).`, { cause });
  }
}
