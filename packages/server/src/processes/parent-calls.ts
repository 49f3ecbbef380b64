import { type Calls, type Channel, type Handlers, ProcessCalls } from "./process-calls.ts";
import { releaseMemoryWhenQuiet } from "./release-memory.ts";

/** Calls with which every child process of the service reports to its parent. */
export type Signs<State> = { alive(given: State): void };

/** Milliseconds between signs of life. */
const ALIVE_MS = 500;

/**
 * Opens the calls with the parent process. This process exits as soon as the parent exits. It ignores SIGINT
 * and SIGTERM: the parent handles them and asks it to stop.
 */
export function parentCalls<Own extends Calls, Theirs extends Calls>(
  own: Handlers<Own>,
): ProcessCalls<Theirs> {
  process.on("disconnect", () => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  releaseMemoryWhenQuiet();
  return new ProcessCalls<Theirs>(process as Channel, own);
}

/**
 * Sends a sign of life with the state that `read` returns to the parent, at once and then twice a second.
 * Returns a function that sends one immediately.
 */
export function reportSigns<State>(calls: ProcessCalls<Signs<State>>, read: () => State): () => void {
  const tell = () => calls.tell("alive", read());
  setInterval(tell, ALIVE_MS);
  tell();
  return tell;
}

/** Ends this process on the next turn of the event loop, after its last response has been sent. */
export function exitAfterAnswer(code: number): void {
  setImmediate(() => process.exit(code));
}
