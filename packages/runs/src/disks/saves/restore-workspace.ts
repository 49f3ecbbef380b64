import { isOnDisk, unpackDisk } from "@berth/sandbox";
import type { BlobStore } from "@berth/store/blobs";
import type { OpenedDisk } from "../disk-source.ts";
import { DamagedSaveError, decompressed, SaveUnreadableError } from "./compress.ts";
import type { Save } from "./save-store.ts";

/** `partial`: some files could not be created. */
export type RestoreOutcome = "whole" | "partial";

const MAX_MS = 1_800_000;

/**
 * Restores a save onto a new disk. The archive is as hostile as the agent that made it, so the sandbox does
 * all the unpacking.
 *
 * @throws DamagedSaveError when a content is missing, or is not what was stored. Other errors when the blob
 * store cannot be read or the sandbox ends: it can be tried again on another new disk.
 */
export async function restoreWorkspace(
  blobs: BlobStore,
  { bases, sha256 }: Pick<Save, "bases" | "sha256">,
  { sandbox, places, files }: OpenedDisk,
  signal: AbortSignal,
): Promise<RestoreOutcome> {
  const archives = [
    ...bases.map((base) => ({ sha256: base.sha256, root: base.target })),
    { sha256, root: "/" },
  ];
  let outcome: RestoreOutcome = "whole";
  for (const { sha256: content, root } of archives) {
    if ((await blobs.age(content)) === 0) throw new DamagedSaveError("a content is missing");
    const archive = decompressed(blobs.read(content), content);
    const unpacked = await unpackDisk(sandbox, root, archive, { timeoutMs: MAX_MS, signal });
    if (unpacked === "gone") throw new SaveUnreadableError("the sandbox ended");
    if (unpacked === "damaged") throw new DamagedSaveError("a content is no archive");
    if (unpacked === "partial") outcome = unpacked;
  }
  // These files are the session's, whatever the agent saved in their place.
  for (const file of files) if (isOnDisk(file.target, places)) await sandbox.placeFile(file);
  return outcome;
}
