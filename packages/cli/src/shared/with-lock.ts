import { randomUUID } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "./failure.ts";

/** Milliseconds after which a lock is stale. Its holder, which needs only milliseconds, was killed. */
const STALE_MS = 10_000;
/** Milliseconds to wait for a lock, longer than until it is stale. */
const PATIENCE_MS = 15_000;
const BETWEEN_TRIES_MS = 10;

/**
 * Runs `work` while no other process does so with the same path. The lock is a file beside the path, in an
 * existing directory. This works on every system, and the next process removes the lock of a killed one.
 * @throws UsageError if the lock is not free within 15 seconds.
 */
export async function withLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`;
  const own = randomUUID();
  await take(lock, own);
  try {
    return await work();
  } finally {
    // Another process may have considered it stale while this one was suspended.
    if ((await readFile(lock, "utf8").catch(() => null)) === own) await rm(lock, { force: true });
  }
}

async function take(lock: string, own: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await isTaken(lock, own))) {
    if (await isStale(lock)) await rm(lock, { force: true });
    else if (performance.now() > until)
      throw new UsageError(
        `The file '${lock}' says that another berth command is running. Remove the file if there is none.`,
        1,
      );
    else await sleep(BETWEEN_TRIES_MS);
  }
}

async function isTaken(lock: string, own: string): Promise<boolean> {
  try {
    await writeFile(lock, own, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    // On Windows, a file that is being removed cannot be opened.
    if (["EEXIST", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > STALE_MS;
}
