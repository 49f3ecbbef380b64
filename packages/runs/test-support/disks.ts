import type { WarmWish } from "../src/disks/disk-store.ts";
import type { NewDisk, SessionDisk } from "../src/disks/session-disk.ts";

/**
 * Returns the session's disk, or a new one.
 *
 * @param reportLost see `SessionDisk.claim`. Default: it throws.
 */
export async function claimDisk(
  disk: SessionDisk,
  wish: WarmWish | null = null,
  reportLost: () => Promise<void> = neverLost,
): Promise<NewDisk & { isNew: boolean }> {
  const own = await disk.claim(reportLost);
  return own === null
    ? { ...(await disk.assign(wish)), isNew: true }
    : { ...own, isNew: false, fromPool: false };
}

async function neverLost(): Promise<void> {
  throw new Error("There was no disk to lose.");
}
