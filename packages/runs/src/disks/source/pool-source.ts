import { NoRoomError, SandboxError } from "@berth/sandbox";
import type { Logger } from "pino";
import type { DiskSource } from "../disk-source.ts";
import type { WarmWish } from "../disk-store.ts";
import type { SessionDisk } from "../session-disk.ts";

/** Returns the source of disks of the pool, each with a sandbox that waits for a session. */
export function poolSource(
  { disk, signal }: { disk: SessionDisk; signal: AbortSignal },
  wish: WarmWish | null,
  log: Logger,
): DiskSource {
  return {
    async take() {
      const taken = wish && (await disk.assign(wish));
      if (!taken?.fromPool) return null;
      const giveUp = async (error: unknown) => {
        // Where there is no room, or no sandbox is needed, no other disk serves better.
        if (!(error instanceof SandboxError) || error instanceof NoRoomError || signal.aborted) return false;
        log.warn({ err: error, disk: taken.path }, "a disk of the pool cannot be used");
        await disk.leaveToPool();
        return true;
      };
      return { ...taken, isNew: true, giveUp };
    },
  };
}
