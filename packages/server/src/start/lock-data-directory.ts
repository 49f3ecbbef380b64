import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStart, withDirectoryLock } from "@berth/linux";

/**
 * Makes this process the only service of a data directory, so that each session's disk has one owner on a machine. A lock file
 * names the process; the lock of a dead process is taken over.
 *
 * @returns a function that releases the lock.
 * @throws one sentence that names the process that holds the lock.
 */
export async function lockDataDirectory(dataDir: string): Promise<() => void> {
  const lockFile = join(dataDir, "serving");
  await withDirectoryLock(dataDir, async () => {
    const holder = lockHolder(lockFile);
    if (holder !== null) throw new Error(`Berth already serves ${dataDir}, as process ${holder}.`);
    writeFileSync(lockFile, `${process.pid} ${processStart(process.pid)}\n`, { mode: 0o600 });
  });
  return () => rmSync(lockFile, { force: true });
}

function lockHolder(lockFile: string): number | null {
  try {
    const [pid, started] = readFileSync(lockFile, "utf8").trim().split(" ");
    return started !== undefined && processStart(Number(pid)) === started ? Number(pid) : null;
  } catch {
    return null;
  }
}
