import { closeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockedDescriptor } from "@berth/linux";
import { endLeftovers, leftoversOf } from "./leftover-processes.ts";

/**
 * Milliseconds within which the processes of a killed server should end by themselves. Then they are killed.
 */
const LEFTOVERS_GRACE_MS = 1_000;
/** Milliseconds for the end of killed processes, which the kernel may delay. */
const LEFTOVERS_LIMIT_MS = 30_000;
/** Milliseconds to wait when no process of the server is visible. */
const UNSEEN_LIMIT_MS = 5_000;
const RETRY_MS = 100;

/**
 * Runs `work` under the lock of a data directory's server, whose descriptor is passed on to the server.
 * PostgreSQL's pid file and shared memory only protect against servers in the same pid and ipc namespaces.
 * This lock also covers other containers with the same volume. Call it under the directory's lock, so that
 * nothing here starts or stops a server meanwhile.
 * @param found Returns a server that another process has just started, which ends the wait. It is called
 * repeatedly while the lock is taken.
 * @throws an error of one sentence for the operator when an invisible server has the lock, or leftover
 * processes do not end.
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
        `PostgreSQL of ${dataDir} was killed, but its processes have not ended: ${leftovers.join(", ")}.`,
      );
    await pause(RETRY_MS);
  }
}
