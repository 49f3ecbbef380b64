import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStart, withDirectoryLock } from "@berth/linux";

/**
 * Makes this process the only service on a data directory: its sandboxes' disks have one owner on a machine. A note says
 * which process that is, and one of a dead process is taken over.
 *
 * @returns what gives the directory free again.
 * @throws one sentence that names the process that has it.
 */
export async function holdDataDir(dataDir: string): Promise<() => void> {
  const note = join(dataDir, "serving");
  await withDirectoryLock(dataDir, async () => {
    const holder = livingHolder(note);
    if (holder !== null) throw new Error(`Berth serves ${dataDir} already, as process ${holder}.`);
    writeFileSync(note, `${process.pid} ${processStart(process.pid)}\n`, { mode: 0o600 });
  });
  return () => rmSync(note, { force: true });
}

function livingHolder(note: string): number | null {
  try {
    const [pid, started] = readFileSync(note, "utf8").trim().split(" ");
    return started !== undefined && processStart(Number(pid)) === started ? Number(pid) : null;
  } catch {
    return null;
  }
}
