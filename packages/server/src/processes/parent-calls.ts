import { type Calls, type Channel, type Handlers, ProcessCalls } from "./process-calls.ts";
import { releaseMemoryWhenQuiet } from "./release-memory.ts";

/** What every process of the service tells the one that started it. */
export type Signs<State> = { alive(given: State): void };

/** A sign of life, twice a second. */
const ALIVE_MS = 500;

/**
 * Calls with the process that started this one. When that exits for any reason, this one does at once. Signals are for it to
 * handle: it asks this one to stop.
 */
export function parentCalls<Own extends Calls, Theirs extends Calls>(
  own: Handlers<Own>,
): ProcessCalls<Theirs> {
  process.on("disconnect", () => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  releaseMemoryWhenQuiet();
  return new ProcessCalls<Theirs>(process as Channel, own);
}

/** Tells the parent, from now on, that this process lives, and the state that `read` returns. Call the result to tell it at once. */
export function tellSigns<State>(calls: ProcessCalls<Signs<State>>, read: () => State): () => void {
  const tell = () => calls.tell("alive", read());
  setInterval(tell, ALIVE_MS);
  tell();
  return tell;
}

/** Ends this process once what it has sent is on its way. */
export function exitAfterAnswer(code: number): void {
  setImmediate(() => process.exit(code));
}
