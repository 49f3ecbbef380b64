import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { MIRROR_INSIDE, SNAPSHOT_INSIDE } from "@berth/sandbox";
import { removeAside } from "../disks/trash.ts";

/** Where the mirrors and templates of an installation lie. */
export interface TemplateRoom {
  directory: string;
  /** Names the machine's installation; see `DiskDirectory`. */
  host: string;
}

/** Each is the disk of the sandbox that makes it, with its uuid for a name. */
export type TemplateKind = "mirrors" | "templates";

export function directoryOf({ directory }: TemplateRoom, kind: TemplateKind): string {
  return join(directory, kind);
}

export function diskOf(room: TemplateRoom, kind: TemplateKind, id: string): string {
  return join(directoryOf(room, kind), id);
}

/** What is shown to sandboxes of it. */
export function sourceOf(room: TemplateRoom, kind: TemplateKind, id: string): string {
  return join(diskOf(room, kind, id), kind === "mirrors" ? MIRROR_INSIDE : SNAPSHOT_INSIDE);
}

/** A disk that is a directory of the host, as others show what lies on it: without a limit from the beginning, it stays so. */
export async function makePlainDisk(disk: string): Promise<void> {
  await mkdir(join(disk, "data"), { recursive: true, mode: 0o711 });
}

/** What one mirror, and one template, may take. */
export interface Share {
  mostBytes: number;
  mostFiles: number;
}

const MOST_FILES = 1_000_000;

/**
 * A quarter of what all may take, and an eighth of what the filesystem has left: while a template is made its objects are there
 * twice and its files beside, and others are made at the same time.
 *
 * @param left as `statfs` tells it; one that has no number of files does not limit them.
 */
export function shareOf(
  mostBytes: number,
  left: { bavail: number; bsize: number; files: number; ffree: number },
): Share {
  const { bavail, bsize, files, ffree } = left;
  return {
    mostBytes: Math.floor(Math.min(mostBytes / 4, (bavail * bsize) / 8)),
    mostFiles: files === 0 ? MOST_FILES : Math.min(MOST_FILES, Math.floor(ffree / 8)),
  };
}

export async function discardDisk(room: TemplateRoom, kind: TemplateKind, id: string): Promise<void> {
  await removeAside(diskOf(room, kind, id));
}
