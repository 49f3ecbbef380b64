import { talk } from "../../terminal/print.ts";

/** Ctrl-C while a session is followed: the first asks the session to stop, the second aborts `signal`. */
export interface Interrupts {
  readonly count: number;
  readonly signal: AbortSignal;
  stop(): void;
}

export function onInterrupts(interruptSession: () => Promise<unknown>): Interrupts {
  const controller = new AbortController();
  let count = 0;
  const heard = () => {
    count += 1;
    if (count > 1) return controller.abort();
    talk("\nInterrupting. Ctrl-C again leaves the session running.");
    interruptSession().catch((error: Error) => talk(`The session was not interrupted: ${error.message}`));
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
