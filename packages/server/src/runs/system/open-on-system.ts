import { LAYERED_HOME, type Sandbox } from "@berth/sandbox";
import type { Disk } from "../disks/disk.ts";
import { isRemembered, rememberSystem } from "./disk-system.ts";
import type { SessionSystem } from "./systems.ts";

const LONGEST_FILL_MS = 60_000;

/**
 * Opens a sandbox on a system and keeps that for as long as it is open. What layers have as the agent's home directory is
 * copied to the one on the disk when they are new to it; what is there already stays.
 */
export async function openOnSystem(
  { system, release }: SessionSystem,
  disk: Disk,
  open: () => Promise<Sandbox>,
): Promise<Sandbox> {
  const sandbox = await open().catch((error) => {
    release();
    throw error;
  });
  sandbox.closed.then(release);
  try {
    if (await isRemembered(disk, system)) return sandbox;
    if ((system?.layers ?? []).length > 0) await fillHome(sandbox);
    await rememberSystem(disk, system);
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** What cannot be copied, as on a full disk, is left out. */
async function fillHome(sandbox: Sandbox): Promise<void> {
  const script = `cp -an ${LAYERED_HOME}/. /home/agent/`;
  await sandbox.run({ script, timeoutMs: LONGEST_FILL_MS });
}
