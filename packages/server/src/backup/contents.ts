import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { copyTree, createDirectory, NotARegularFile, streamRegularFile } from "@berth/linux";
import { type BlobConfig, contentPath, openBlobs, openDiskBlobs } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";

/** Copies the contents of files, and of incomplete uploads, to another directory. */
export async function copyContents(from: string, to: string, signal: AbortSignal): Promise<void> {
  createDirectory(from);
  await copyTree(from, to, { signal, leaveOut: (path) => path.startsWith("partial/") });
}

/** Adds contents to those in a directory; existing ones are kept. Only regular files are copied, no links. */
export async function addContents(from: string, to: string, signal: AbortSignal): Promise<void> {
  createDirectory(to);
  await copyTree(from, to, { signal, leaveOut: (path) => isFile(join(to, path)) });
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns the number of contents and their total bytes. */
export async function countContents(directory: string): Promise<{ contents: number; bytes: number }> {
  const blobs = await openDiskBlobs(directory);
  const total = { contents: 0, bytes: 0 };
  for await (const names of blobs.names()) {
    const sizes = await Promise.all(
      names.map(async (name) => (await lstat(contentPath(directory, name))).size),
    );
    total.contents += names.length;
    total.bytes += sizes.reduce((sum, size) => sum + size, 0);
  }
  return total;
}

/** Returns the wanted contents that are not in the bucket. */
export async function missingContents(
  config: BlobConfig,
  db: DatabaseAccess,
  wanted: readonly string[],
): Promise<string[]> {
  const blobs = await openBlobs(config, db);
  try {
    const there = new Set<string>();
    for await (const names of blobs.names()) for (const name of names) there.add(name);
    return wanted.filter((name) => !there.has(name));
  } finally {
    blobs.close();
  }
}

/** Returns the wanted contents that are missing or whose bytes do not match their digest. */
export async function damagedContents(directory: string, wanted: readonly string[]): Promise<string[]> {
  const damaged: string[] = [];
  for (const sha256 of wanted)
    if ((await digestOf(contentPath(directory, sha256))) !== sha256) damaged.push(sha256);
  return damaged;
}

/** Returns the SHA-256 of a file, or null when it does not exist or is not a regular file. */
async function digestOf(path: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    await pipeline(streamRegularFile(path), hash);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof NotARegularFile) return null;
    throw error;
  }
  return hash.digest("hex");
}
