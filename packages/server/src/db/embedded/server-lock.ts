import { closeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockedDescriptor } from "@berth/linux";

/** What a killed server leaves behind ends within moments. */
const WAIT_MS = 5_000;
const RETRY_MS = 100;

/**
 * Runs `work` under the lock of a data directory's server, which is passed on to the server by its descriptor. Pid files and
 * shared memory protect a cluster only from servers of the same pid and ipc namespaces; this lock does from those in other
 * containers with the same volume.
 *
 * @param found asked again while the lock is taken: a server that has just been started by another process. It ends the wait.
 * @throws one sentence for the operator when a server has the lock that cannot be seen from here.
 */
export async function withServerLock<Server>(
  dataDir: string,
  found: () => Promise<Server | undefined>,
  work: (lock: number) => Promise<Server>,
): Promise<Server> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const lock = lockedDescriptor(join(dataDir, "server-lock"));
    if (lock !== null) return await work(lock).finally(() => closeSync(lock));
    const server = await found();
    if (server !== undefined) return server;
    if (performance.now() > deadline)
      throw new Error(
        `PostgreSQL of ${dataDir} runs in another container, which this process cannot see: run this command there, or stop that container.`,
      );
    await pause(RETRY_MS);
  }
}
