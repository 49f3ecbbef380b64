import { open, readlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Maximum locks of all processes of a sandbox together: a thousand times what programs use. */
export const MAX_FILE_LOCKS = 10_000;
const CHECK_MS = 500;
/**
 * About thirty thousand locks. The kernel walks its whole list for each page that is read, so reading all may
 * be too slow.
 */
const MAX_READ_BYTES = 2 * 1024 * 1024;

/** PID namespaces of the watched sandboxes. */
const watched = new Set<string>();
let checking = false;

/**
 * Kills the processes of a sandbox that together hold more than `MAX_FILE_LOCKS` locks on parts of files. The
 * kernel does not count the memory of such locks for anyone, so no other limit applies. Returns a function
 * that stops watching.
 *
 * @param init Host pid of process 1.
 */
export function limitFileLocks(init: number): () => void {
  let namespace: string | null = null;
  let ended = false;
  void pidNamespace(init).then((name) => {
    if (ended || name === null) return;
    namespace = name;
    watched.add(name);
    void checkWhileWatched();
  });
  return () => {
    ended = true;
    if (namespace !== null) watched.delete(namespace);
  };
}

async function checkWhileWatched(): Promise<void> {
  if (checking) return;
  checking = true;
  while (watched.size > 0) {
    await delay(CHECK_MS, undefined, { ref: false });
    // A machine may lack such locks, or their list.
    await check().catch(() => {});
  }
  checking = false;
}

async function check(): Promise<void> {
  const holders = locksByPid(await readLocks());
  const total = [...holders.values()].reduce((sum, count) => sum + count, 0);
  if (total > MAX_FILE_LOCKS) await killHolders(holders);
}

async function killHolders(holders: ReadonlyMap<number, number>): Promise<void> {
  const sandboxes = new Map<string, { pids: number[]; locks: number }>();
  for (const [pid, locks] of holders) {
    const namespace = await pidNamespace(pid);
    if (namespace === null || !watched.has(namespace)) continue;
    const found = sandboxes.get(namespace) ?? { pids: [], locks: 0 };
    sandboxes.set(namespace, { pids: [...found.pids, pid], locks: found.locks + locks });
  }
  for (const [namespace, { pids, locks }] of sandboxes)
    if (locks > MAX_FILE_LOCKS) await Promise.all(pids.map((pid) => killIn(namespace, pid)));
}

/** Checks the namespace first, because another process may have the pid by then. */
async function killIn(namespace: string, pid: number): Promise<void> {
  if ((await pidNamespace(pid)) !== namespace) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {}
}

/**
 * Counts locks by pid. Lines look like `1: POSIX ADVISORY WRITE 4711 08:01:131073 0 EOF`; a waiting lock has
 * an arrow before its kind.
 */
export function locksByPid(list: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [, pid] of list.matchAll(/^\d+: (?:-> )?[A-Z]+ +[A-Z]+ +[A-Z]+ +(\d+) /gm))
    counts.set(Number(pid), (counts.get(Number(pid)) ?? 0) + 1);
  return counts;
}

async function readLocks(): Promise<string> {
  const file = await open("/proc/locks", "r");
  try {
    const buffer = Buffer.alloc(64 * 1024);
    let text = "";
    while (text.length < MAX_READ_BYTES) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      text += buffer.toString("latin1", 0, bytesRead);
    }
    return text;
  } finally {
    await file.close();
  }
}

function pidNamespace(pid: number): Promise<string | null> {
  return readlink(`/proc/${pid}/ns/pid`).catch(() => null);
}
