import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { atExit } from "../acceptance/harness/at-exit.ts";

/**
 * Returns a function that ends a server by a signal. A server that a failed test did not stop ends with the
 * test file.
 */
export function stopper(server: ChildProcess, signal: NodeJS.Signals): () => Promise<void> {
  const kill = () => server.kill(signal);
  const forget = atExit(kill);
  return async () => {
    forget();
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    kill();
    await ended;
  };
}
