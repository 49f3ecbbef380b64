import { orAborted } from "@berth/concurrency";
import type { Logger } from "pino";

/** Milliseconds after which an opening that ignores its aborted signal is abandoned. */
const ABANDON_MS = 3_000;

/**
 * The parts of a process, open or still opening. Several may open concurrently. When one fails, or the
 * process is asked to stop, `close` aborts the openings and closes every part that was opened, including one
 * that opened too late to be used.
 */
export class Parts {
  readonly #log: Logger;
  readonly #aborter = new AbortController();
  readonly #signal: AbortSignal;
  readonly #closings: (() => Promise<void>)[] = [];
  #closed: Promise<void> | undefined;
  #begun = 0;

  /** @param signal Ends the start: openings reject with its reason. */
  constructor(log: Logger, signal: AbortSignal = new AbortController().signal) {
    this.#log = log;
    this.#signal = AbortSignal.any([signal, this.#aborter.signal]);
  }

  /** Opens a part. Rejects with the error of the opening, or as soon as the start ends. */
  async open<Part>(
    opening: (signal: AbortSignal) => Promise<Part> | Part,
    close: (part: Part) => Promise<unknown> | unknown = () => undefined,
  ): Promise<Part> {
    this.#signal.throwIfAborted();
    const step = ++this.#begun;
    this.#log.debug({ step }, "a part opens");
    const part = (async () => opening(this.#signal))();
    this.#closings.unshift(async () => {
      const opened = await settled(part, ABANDON_MS);
      if (opened !== null) await close(opened.value);
    });
    const opened = await orAborted(part, this.#signal);
    this.#log.debug({ step }, "a part is open");
    return opened;
  }

  /** Closes all parts, the last one first, each once and even if others fail. Idempotent. */
  close(): Promise<void> {
    this.#aborter.abort(new Error("The service is stopping."));
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    for (const closing of this.#closings)
      await closing().catch((error) => this.#log.error({ err: error }, "a component did not stop cleanly"));
  }
}

/** Returns the value of a promise, or null when it rejects or does not settle in time. */
async function settled<Value>(promise: Promise<Value>, withinMs: number): Promise<{ value: Value } | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), withinMs);
  const opened = promise.then(
    (value) => ({ value }),
    () => null,
  );
  return await Promise.race([opened, late.promise]).finally(() => clearTimeout(timer));
}
