import { spawnSync } from "node:child_process";
import { join } from "node:path";

const PROGRAM = join(import.meta.dirname, "../../../script/sandbox-system");

/** Settings of a service whose sandboxes have the system that all tests of a machine share. */
export interface SharedSystem {
  settings: Record<string, string>;
  /** Path of the system; empty if `skip` says why this machine has none. */
  path: string;
  skip: string | false;
}

/**
 * Returns the system of sandboxes that all tests of a machine share. `script/setup` has built it; otherwise
 * this does: call it when the file is loaded, so that the time does not count in a test's limit.
 */
export function sharedSystem(): SharedSystem {
  const { stdout, stderr, status } = spawnSync(PROGRAM, { encoding: "utf8" });
  if (status !== 0) throw new Error(`The system of sandboxes could not be built: ${stderr}`);
  const path = stdout.trim();
  if (path === "")
    return { settings: { BERTH_ROOTFS: "host" }, path, skip: "this machine builds no systems" };
  const settings = { BERTH_ROOTFS: "debian", BERTH_SYSTEM_DIR: join(path, "..") };
  return { settings, path, skip: false };
}
