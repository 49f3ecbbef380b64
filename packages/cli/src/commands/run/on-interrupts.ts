import { printMessage } from "../../terminal/print.ts";

/**
 * Handles Ctrl-C, and SIGTERM like it, while a session is followed: the first interrupts the session, the
 * second aborts `signal`.
 */
export interface Interrupts {
  readonly count: number;
  readonly signal: AbortSignal;
  stop(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

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
  for (const name of SIGNALS) process.on(name, heard);
  return {
    get count() {
      return count;
    },
    signal: controller.signal,
    stop: () => {
      for (const name of SIGNALS) process.off(name, heard);
    },
  };
}
