import { printMessage } from "../../terminal/print.ts";

/**
 * Handles Ctrl-C while a session is followed: the first interrupts the session, the second aborts `signal`.
 */
export interface Interrupts {
  readonly count: number;
  readonly signal: AbortSignal;
  stop(): void;
}

/** Starts handling Ctrl-C; call `stop` to end it. */
export function onInterrupts(interruptSession: () => Promise<unknown>): Interrupts {
  const controller = new AbortController();
  let count = 0;
  const heard = () => {
    count += 1;
    if (count > 1) return controller.abort();
    printMessage("\nInterrupting the agent. Press Ctrl-C again to leave it running.");
    interruptSession().catch((error: Error) =>
      printMessage(`The session could not be interrupted: ${error.message}`),
    );
  };
  process.on("SIGINT", heard);
  return {
    get count() {
      return count;
    },
    signal: controller.signal,
    stop: () => void process.off("SIGINT", heard),
  };
}
