import type { MountedFile, Sandbox } from "@berth/sandbox";
import type { RestoredRepositories } from "../repositories/restore-repositories.ts";
import type { Disk } from "./session-disk.ts";

/** One of the ways in which a session gets the disk for its next sandbox. */
export interface DiskSource {
  /** Assigns a disk of this source to the session. Returns null when the source has none for it. */
  take(): Promise<SourceDisk | null>;
}

/** A disk on which a sandbox is to be opened. */
export interface SourceDisk extends Disk {
  isNew: boolean;
  /** See `SandboxSpec.fromPool`. Default: false. */
  fromPool?: boolean;
  /** See `SandboxSpec.diskSource`. Default: none. */
  diskSource?: string;
  /** Uuids of the resources that `fill` puts in place. Default: none. */
  inPlace?: readonly string[];
  /** Puts the content of the source onto the disk. Default: there is none. */
  fill?(opened: OpenedDisk): Promise<DiskContent>;
  /**
   * Decides what a failure to open or fill the disk means. If the source is unusable, records that, gives up
   * the disk and returns true: then the next source is tried. Default: every failure ends the opening.
   */
  giveUp?(error: unknown): Promise<boolean>;
}

/** A sandbox that was just opened on a disk, and that nobody else uses yet. */
export interface OpenedDisk {
  sandbox: Sandbox;
  /** The directories that are on the disk. */
  places: readonly string[];
  /** The files that the sandbox was opened with. */
  files: readonly MountedFile[];
}

/** What a source put onto a disk. */
export interface DiskContent {
  /** Absent when no save was restored. */
  save?: RestoredSave;
  /** The repositories that are equal to a clone. Absent for none. */
  repositories?: RestoredRepositories;
}

/** A restored save, and the seconds that it took. */
export type RestoredSave = { saved_at: string; seconds: number };

/**
 * Opens a sandbox on the disk of the first source that serves.
 *
 * @param open opens the sandbox, and calls `fillDisk`. Leaves nothing open when it rejects.
 * @param report reports the failure that ends the opening.
 */
export async function openOnFirst<T extends object>(
  sources: readonly DiskSource[],
  open: (disk: SourceDisk) => Promise<T>,
  report: (error: unknown) => Promise<void>,
): Promise<T> {
  for (const source of sources) {
    const disk = await source.take();
    if (disk === null) continue;
    try {
      const opened = await openUnlessUnusable(disk, open);
      if (opened !== null) return opened;
    } catch (error) {
      await report(error);
      throw error;
    }
  }
  throw new Error("No source has a disk for the session.");
}

/** Fills the disk. Closes the sandbox when that fails. */
export async function fillDisk(disk: SourceDisk, opened: OpenedDisk): Promise<DiskContent> {
  try {
    return (await disk.fill?.(opened)) ?? {};
  } catch (error) {
    await opened.sandbox.close();
    throw error;
  }
}

async function openUnlessUnusable<T>(
  disk: SourceDisk,
  open: (disk: SourceDisk) => Promise<T>,
): Promise<T | null> {
  try {
    return await open(disk);
  } catch (error) {
    if ((await disk.giveUp?.(error)) === true) return null;
    throw error;
  }
}
