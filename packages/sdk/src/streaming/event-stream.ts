import type { EventDelta, EventStart, SessionEvent } from "@berth/contract";
import { BerthError, ConnectionError, TimeoutError } from "../transport/errors.ts";
import { isTransient } from "../transport/retry.ts";
import { type Frame, FrameParser } from "./server-sent-events.ts";

/** An event of the log, or a piece of one that is being written. */
export type StreamFrame = SessionEvent | EventStart | EventDelta;

/** Milliseconds before each reconnection, by how many in a row brought nothing; the last one stays. */
const waits = [250, 1_000, 2_000, 4_000, 8_000, 15_000];
/** A connection that lived this long, in milliseconds, was a good one even if nothing happened. */
const goodLife = 10_000;

/** What following a session's log needs of the API. */
export interface LogSource {
  /** Opens the stream after that event, or at the log's start when null. Only the `first` call is retried by itself. */
  open(after: string | null, first: boolean): Promise<Response>;
  /** The newest event of the log, or null when it is empty. */
  newest(): Promise<SessionEvent | null>;
  wait(milliseconds: number): Promise<void>;
  /** Told before each wait; the error is null when the server ended the stream in good order. */
  onReconnect(error: unknown, wait: number): void;
  /** Milliseconds without a byte after which a connection counts as dead. */
  silence: number;
  signal: AbortSignal | undefined;
}

/**
 * The events of a log, each once and in order, over as many connections as it takes, and what is shown before it is stored
 * when the connections ask for it. `after` is the event to continue from, null the
 * log's start, undefined the log's end. Ends after `session.status_terminated` or `session.deleted` and when the signal aborts. Throws what
 * does not pass by itself: a refusal, or a server that is not reached at the first time.
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
  // The log's end is pinned to an event: what is appended while a connection is lost would be missed otherwise.
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
    barren = heard || Date.now() - opened > goodLife ? 0 : barren + 1;
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
    const wait = waits[Math.min(tries, waits.length - 1)] ?? 0;
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

/** Whether nothing can come any more: the log ends with the session's termination, and that was read. */
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
    throw new ConnectionError("The stream was cut.", { cause: error });
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function within<T>(milliseconds: number, reading: Promise<T>): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  const error = new TimeoutError(`The stream was silent for ${milliseconds} ms.`);
  const timer = setTimeout(() => reject(error), milliseconds);
  reading.catch(() => undefined); // when the timer wins, nobody else waits for it
  try {
    return await Promise.race([reading, silent]);
  } finally {
    clearTimeout(timer);
  }
}

function eventIn(frame: Frame): StreamFrame {
  try {
    return JSON.parse(frame.data) as StreamFrame;
  } catch (cause) {
    throw new BerthError(`A frame of the stream is not JSON (${frame.event}).`, { cause });
  }
}
