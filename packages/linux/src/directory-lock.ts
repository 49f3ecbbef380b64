import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * Runs `work` while holding the lock of a directory, which excludes other processes and other callers in this
 * one.
 *
 * The lock is a listening socket in Linux's abstract namespace. The kernel releases it however its holder
 * ends, and the closing connection wakes a waiter, so that nobody polls.
 * @param options.timeoutMs Maximum wait for the lock. Default: two minutes.
 * @param options.signal Ends the wait.
 * @throws an error when the lock is not free in time, or the signal's reason.
 */
export async function withDirectoryLock<T>(
  directory: string,
  options: { timeoutMs?: number; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const { timeoutMs = 120_000, signal } = options;
  const deadline = performance.now() + timeoutMs;
  const address = lockAddress(directory);
  for (;;) {
    signal?.throwIfAborted();
    const release = await tryLock(address);
    if (release !== undefined) return await work().finally(release);
    if (performance.now() > deadline)
      throw new Error(`Another process is still starting or stopping ${directory}.`);
    await holderToFinish(address, deadline - performance.now(), signal);
  }
}

function lockAddress(directory: string): string {
  const digest = createHash("sha256").update(realpathSync(directory)).digest("hex");
  return `\0berth-${digest.slice(0, 40)}`;
}

async function tryLock(address: string): Promise<(() => void) | undefined> {
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    waiting.add(socket);
    socket.on("error", () => undefined).on("close", () => waiting.delete(socket));
  });
  if (!(await listens(server, address))) return undefined;
  return () => {
    server.close();
    for (const socket of waiting) socket.destroy();
  };
}

function listens(server: Server, address: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    server.listen(address, () => resolve(true));
  });
}

function holderToFinish(address: string, withinMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const stop = () => socket.destroy();
    signal?.addEventListener("abort", stop, { once: true });
    const timer = setTimeout(() => socket.destroy(), Math.max(withinMs, 0));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    socket.resume();
  });
}
