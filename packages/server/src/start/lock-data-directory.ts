import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockFile, processStart } from "@berth/linux";

/**
 * Makes this process the only service of a data directory, so that each session's disk has one owner. The
 * kernel releases the lock however the process ends. The lock also excludes processes in other pid or network
 * namespaces, such as a second container with the same volume. The file names the process for people.
 * @returns a function that releases the lock.
 * @throws Error with one sentence that names the process that holds the lock.
 */
export function lockDataDirectory(dataDir: string): () => void {
  const path = join(dataDir, "serving");
  const release = lockFile(path);
  if (release === null) {
    const holder = holderOf(path);
    const process = holder === null ? "in another container" : `as process ${holder}`;
    throw new Error(`Berth already serves ${dataDir}, ${process}.`);
  }
  writeFileSync(path, `${process.pid} ${processStart(process.pid)}\n`);
  return () => {
    writeFileSync(path, "");
    release();
  };
}

/** Returns the pid in the file if that process is alive and visible here, else null. */
function holderOf(path: string): number | null {
  const [pid, started] = readFileSync(path, "utf8").trim().split(" ");
  return started !== undefined && processStart(Number(pid)) === started ? Number(pid) : null;
}
