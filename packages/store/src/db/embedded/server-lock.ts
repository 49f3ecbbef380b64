import { closeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockedDescriptor } from "@berth/linux";
import { endLeftovers, leftoversOf } from "./leftover-processes.ts";

/** What a killed server leaves behind ends within moments; what has not is killed. */
const LEFTOVERS_GRACE_MS = 1_000;
/** For a process that the kernel holds, or whose end it is slow to clean up. */
const LEFTOVERS_LIMIT_MS = 30_000;
/** When nothing of the server is visible. */
const UNSEEN_LIMIT_MS = 5_000;
const RETRY_MS = 100;

/**
 * Runs `work` under the lock of a data directory's server, which is passed on to the server by its descriptor. Pid files and
 * shared memory protect a cluster only from servers of the same pid and ipc namespaces; this lock does from those in other
 * containers with the same volume. It is called under the directory's lock: nothing here starts or stops a server meanwhile.
 *
 * @param found asked again while the lock is taken: a server that has just been started by another process. It ends the wait.
 * @throws one sentence for the operator when a server has the lock that cannot be seen from here, or that does not end.
 */
export async function withServerLock<Server>(
  dataDir: string,
  found: () => Promise<Server | undefined>,
  work: (lock: number) => Promise<Server>,
): Promise<Server> {
  const began = performance.now();
  for (;;) {
    const lock = lockedDescriptor(join(dataDir, "server-lock"));
    if (lock !== null) return await work(lock).finally(() => closeSync(lock));
    const server = await found();
    if (server !== undefined) return server;
    const leftovers = leftoversOf(join(dataDir, "cluster"));
    const waited = performance.now() - began;
    if (waited > LEFTOVERS_GRACE_MS) endLeftovers(leftovers);
    if (leftovers.length === 0 && waited > UNSEEN_LIMIT_MS)
      throw new Error(
        `PostgreSQL of ${dataDir} runs in another container, which this process cannot see: run this command there, or stop that container.`,
      );
    if (waited > LEFTOVERS_LIMIT_MS)
      throw new Error(
        `PostgreSQL of ${dataDir} was killed, and its processes do not end: ${leftovers.join(", ")}.`,
      );
    await pause(RETRY_MS);
  }
}
