import { isOnDisk, type MountedFile, type Sandbox, unpackDisk } from "@berth/sandbox";
import type { BlobStore } from "@berth/store/blobs";
import { DamagedSaveError, decompressed, SaveUnreadableError } from "./compress.ts";
import type { Save } from "./save-store.ts";

/** `partial`: some files could not be created. `damaged`: a content is missing, or is not what was stored. */
export type RestoreOutcome = "whole" | "partial" | "damaged";

export interface RestoreTarget {
  sandbox: Sandbox;
  /** The directories that are on the new disk. */
  places: readonly string[];
  /** The files that the sandbox was opened with. */
  files: readonly MountedFile[];
  signal: AbortSignal;
}

const MAX_MS = 1_800_000;

/**
 * Restores a save onto a new disk. The archive is as hostile as the agent that made it, so the sandbox does
 * all the unpacking.
 *
 * @throws when the blob store cannot be read or the sandbox ends: it can be tried again on another new disk.
 */
export async function restoreWorkspace(
  blobs: BlobStore,
  { bases, sha256 }: Pick<Save, "bases" | "sha256">,
  { sandbox, places, files, signal }: RestoreTarget,
): Promise<RestoreOutcome> {
  const archives = [
    ...bases.map((base) => ({ sha256: base.sha256, root: base.target })),
    { sha256, root: "/" },
  ];
  let outcome: RestoreOutcome = "whole";
  for (const { sha256: content, root } of archives) {
    if ((await blobs.age(content)) === 0) return "damaged";
    const unpacked = await unpack(sandbox, root, decompressed(blobs.read(content), content), signal);
    if (unpacked === "damaged") return unpacked;
    if (unpacked === "partial") outcome = unpacked;
  }
  // These files are the session's, whatever the agent saved in their place.
  for (const file of files) if (isOnDisk(file.target, places)) await sandbox.placeFile(file);
  return outcome;
}

async function unpack(
  sandbox: Sandbox,
  root: string,
  archive: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<RestoreOutcome> {
  try {
    const outcome = await unpackDisk(sandbox, root, archive, { timeoutMs: MAX_MS, signal });
    if (outcome === "gone") throw new SaveUnreadableError("the sandbox ended");
    return outcome;
  } catch (error) {
    if (error instanceof DamagedSaveError) return "damaged";
    throw error;
  }
}
