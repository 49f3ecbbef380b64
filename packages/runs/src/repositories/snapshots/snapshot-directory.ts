import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { removeAside } from "@berth/linux";
import { MIRROR_PATH, SNAPSHOT_PATH } from "@berth/sandbox";

/** The directory in which an installation stores its mirrors and snapshots. */
export interface SnapshotDirectory {
  path: string;
  /** The name of this installation on this machine. */
  host: string;
}

/**
 * The kind of a stored entry, which is also the name of its directory. An entry is the disk of the sandbox
 * that built it, named by its uuid.
 */
export type StoredKind = "mirrors" | "snapshots";

export function directoryOf({ path }: SnapshotDirectory, kind: StoredKind): string {
  return join(path, kind);
}

export function diskOf(directory: SnapshotDirectory, kind: StoredKind, id: string): string {
  return join(directoryOf(directory, kind), id);
}

/** Returns the part of the disk that is mounted into sandboxes. */
export function mountSource(directory: SnapshotDirectory, kind: StoredKind, id: string): string {
  return join(diskOf(directory, kind, id), kind === "mirrors" ? MIRROR_PATH : SNAPSHOT_PATH);
}

/** Returns the directory with the changes of a snapshot that is layered on another. */
export function setupLayer(directory: SnapshotDirectory, id: string): string {
  return join(diskOf(directory, "snapshots", id), "changes", "upper");
}

/** Returns the directory with the package caches of a snapshot: the layers of each, numbered, by its name. */
export function cachesDirectory(directory: SnapshotDirectory, id: string): string {
  return join(diskOf(directory, "snapshots", id), "caches");
}

/** Creates a disk that is a directory of the host, to be mounted elsewhere. It has no size limit. */
export async function createPlainDisk(disk: string): Promise<void> {
  await mkdir(join(disk, "data"), { recursive: true, mode: 0o711 });
}

export async function removeDisk(directory: SnapshotDirectory, kind: StoredKind, id: string): Promise<void> {
  await removeAside(diskOf(directory, kind, id));
}

/** The size limits of one mirror, and of one snapshot. */
export interface SizeLimits {
  maxBytes: number;
  maxFiles: number;
}

const MAX_FILES = 1_000_000;

/**
 * Returns a quarter of the limit of all together, or an eighth of the free space if that is less. While a
 * snapshot is built, its objects exist twice, with its files beside them, and others are built at the same
 * time.
 *
 * @param free as `statfs` returns it. A filesystem that reports no number of files does not limit them.
 */
export function sizeLimits(
  maxBytes: number,
  free: { bavail: number; bsize: number; files: number; ffree: number },
): SizeLimits {
  const { bavail, bsize, files, ffree } = free;
  return {
    maxBytes: Math.floor(Math.min(maxBytes / 4, (bavail * bsize) / 8)),
    maxFiles: files === 0 ? MAX_FILES : Math.min(MAX_FILES, Math.floor(ffree / 8)),
  };
}
