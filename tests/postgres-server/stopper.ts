import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Returns what ends a server by a signal. A server that a failed test did not stop ends with the test file. */
export function stopper(server: ChildProcess, signal: NodeJS.Signals): () => Promise<void> {
  const kill = () => server.kill(signal);
  process.once("exit", kill);
  return async () => {
    process.off("exit", kill);
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    kill();
    await ended;
  };
}
