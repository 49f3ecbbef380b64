import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type GrowingBlob, growingBlob } from "./growing-blob.ts";
import { placeBlob } from "./place-blob.ts";

/** A stored content: its SHA-256 in hexadecimal is its name. */
export interface Blob {
  sha256: string;
  size: number;
}

/** A content that was taken in whole and is not stored yet. One of `keep` and `discard` is called; a `discard` after `keep` changes nothing. */
export interface StagedBlob extends Blob {
  /** Where it lies on this host until then. */
  path: string;
  /** The content is on disk, under its name, when this resolves. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** Contents of files on a disk, each stored once whatever it is called. */
export interface BlobStore {
  /** Takes in what the source gives. When the source or the disk fails, nothing is left. */
  stage(source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /** A content that arrives in parts. `name`: of letters, digits and hyphens. */
  growing(name: string): GrowingBlob;
  /** The names of those of which something is there. */
  growingNames(): Promise<string[]>;
  /** The bytes, or those from `start` up to and including `end`. */
  read(sha256: string, range?: { start: number; end: number }): Readable;
  /** Removes the content, if it is there. */
  remove(sha256: string): Promise<void>;
  /** Where the content lies on this host; it is never changed in place. */
  path(sha256: string): string;
}

const ABANDONED_MS = 24 * 3_600_000;

/** Opens the store and clears what a process that is gone left half written a day ago or more. */
export async function openDiskBlobs(directory: string): Promise<BlobStore> {
  const partial = join(directory, "partial");
  const growing = join(directory, "growing");
  for (const needed of [partial, growing]) await mkdir(needed, { recursive: true, mode: 0o700 });
  for (const name of await readdir(partial)) await removeAbandoned(join(partial, name));
  const path = (sha256: string) => join(directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  return {
    path,
    growing: (name) => growingBlob(join(growing, name), path, directory),
    growingNames: () => readdir(growing),
    read: (sha256, range) => createReadStream(path(sha256), range),
    remove: (sha256) => rm(path(sha256), { force: true }),
    async stage(source) {
      const temporary = join(partial, randomUUID());
      const discard = () => rm(temporary, { force: true });
      try {
        const blob = await fill(temporary, source);
        const keep = () => placeBlob(rename, temporary, path(blob.sha256), directory).finally(discard);
        return { ...blob, path: temporary, keep, discard };
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

async function removeAbandoned(path: string): Promise<void> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true });
}

async function fill(path: string, source: AsyncIterable<Uint8Array>): Promise<Blob> {
  const file = await open(path, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    return { sha256: hash.digest("hex"), size };
  } finally {
    await file.close();
  }
}
