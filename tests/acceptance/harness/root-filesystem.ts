import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Berth } from "./berth.ts";

/**
 * The directory of sandbox root filesystems that all tests of a machine share, since building one takes a
 * minute.
 */
const SHARED_DIRECTORY = join(tmpdir(), "berth-test-systems");

/** Returns why this machine cannot build the sandboxes' root filesystem; false if it can. */
export function missingForRootFilesystem(): string | false {
  if (process.getuid?.() !== 0) return "this is not root";
  try {
    execFileSync("sh", ["-c", "command -v mmdebstrap"], { stdio: "ignore" });
    return false;
  } catch {
    return "mmdebstrap is missing";
  }
}

/** Returns a new data directory whose service uses the shared root filesystem. */
export async function dataDirWithRootFilesystem(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "berth-test-"));
  await mkdir(SHARED_DIRECTORY, { recursive: true, mode: 0o700 });
  await symlink(SHARED_DIRECTORY, join(dataDir, "rootfs"));
  return dataDir;
}

/** Resolves when the service has its root filesystem. Throws after ten minutes, or if the build fails. */
export async function waitForRootFilesystem(berth: Berth): Promise<void> {
  for (let tries = 0; tries < 2_400; tries++) {
    const names = await readdir(SHARED_DIRECTORY);
    const isBuilding = /building the root filesystem/.test(berth.log);
    if (names.some((name) => /^[a-z]+-[0-9a-f]+$/.test(name)) && !isBuilding) return;
    if (/the root filesystem of sandboxes is ready/.test(berth.log)) return;
    if (/could not make the system/.test(berth.log)) break;
    await pause(250);
  }
  throw new Error(`the root filesystem was not built:\n${berth.log.slice(-2_000)}`);
}
