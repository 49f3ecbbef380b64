import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { openRegularFile, statRegularFile, streamRegularFile } from "@berth/linux";
import type { StagedBlob } from "../interface/blob.ts";
import { ContentLostError, type OnSynced, type PartialBlob, SYNC_BYTES } from "../interface/partial-blob.ts";
import { installBlob, syncDirectory } from "./install-blob.ts";

/** A partial content that is stored as one file. */
export class DiskPartialBlob implements PartialBlob {
  readonly #path: string;
  readonly #pathOf: (sha256: string) => string;
  readonly #root: string;

  /**
   * @param path Path of the partial content.
   * @param pathOf Returns the path of a complete content, below `root`.
   */
  constructor(path: string, pathOf: (sha256: string) => string, root: string) {
    this.#path = path;
    this.#pathOf = pathOf;
    this.#root = root;
  }

  async append(start: number, source: AsyncIterable<Uint8Array>, onSynced: OnSynced): Promise<void> {
    const file = start === 0 ? await createFile(this.#path) : await openAt(this.#path, start);
    try {
      await write(file, start, source, onSynced);
    } finally {
      await file.close();
    }
  }

  async stage(size: number): Promise<StagedBlob> {
    if (size === 0) await (await createFile(this.#path)).close();
    await cutTo(this.#path, size);
    const sha256 = await hashOf(this.#path);
    const keep = () => installBlob(link, this.#path, this.#pathOf(sha256), this.#root);
    const local = async () => ({ path: this.#path, release: async () => undefined });
    return { sha256, size, local, keep, discard: async () => undefined };
  }

  remove(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}

/** Creates a new file instead of truncating the old one, which may be linked as a complete content. */
async function createFile(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  await syncDirectory(dirname(path));
  return file;
}

async function openAt(path: string, start: number): Promise<FileHandle> {
  await checkSize(path, start);
  const file = await openRegularFile(path, constants.O_RDWR);
  await file.truncate(start);
  return file;
}

async function write(
  file: FileHandle,
  start: number,
  source: AsyncIterable<Uint8Array>,
  onSynced: OnSynced,
): Promise<void> {
  let size = start;
  let synced = start;
  const sync = async () => {
    if (size === synced) return;
    await file.datasync();
    await onSynced(size);
    synced = size;
  };
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; ) {
        at += (await file.write(chunk, at, chunk.length - at, size + at)).bytesWritten;
      }
      size += chunk.length;
      if (size - synced >= SYNC_BYTES) await sync();
    }
  } finally {
    await sync();
  }
}

/**
 * Durably removes everything after the first `size` bytes.
 * @throws ContentLostError when there are fewer.
 */
async function cutTo(path: string, size: number): Promise<void> {
  await checkSize(path, size);
  const file = await openRegularFile(path, constants.O_RDWR);
  try {
    if ((await file.stat()).size === size) return;
    await file.truncate(size);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function checkSize(path: string, size: number): Promise<void> {
  const found = await statRegularFile(path).catch(() => null);
  if (found === null || found.size < size)
    throw new ContentLostError(`The file has fewer than ${size} bytes.`);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of streamRegularFile(path)) hash.update(chunk);
  return hash.digest("hex");
}
