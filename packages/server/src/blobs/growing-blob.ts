import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, link, open, rm, stat, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import type { StagedBlob } from "./blob.ts";
import { placeBlob, syncDirectory } from "./place-blob.ts";

/** A content that arrives in parts, over any number of requests and restarts. One caller at a time. */
export interface GrowingBlob {
  /**
   * Puts what the source gives behind the first `start` bytes; at 0 it begins anew. `arrived` is told, from time to time
   * and when the source ends or fails, how many bytes there are on disk to stay; then a failure is thrown on.
   *
   * @throws ContentLostError when there are fewer than `start` bytes.
   */
  append(
    start: number,
    source: AsyncIterable<Uint8Array>,
    arrived: (size: number) => Promise<void>,
  ): Promise<void>;
  /** The first `size` bytes as a content that is whole. They stay here too until `remove`. @throws ContentLostError */
  stage(size: number): Promise<StagedBlob>;
  remove(): Promise<void>;
}

/** What was on disk is not there any more. */
export class ContentLostError extends Error {
  override readonly name = "ContentLostError";
}

/** What arrives is made to stay after so many bytes, so that a process that dies loses little. */
const SYNC_BYTES = 8 * 1_048_576;

/** `path` is where it grows, `pathOf` where a content of that hash is kept below `root`. */
export function growingBlob(path: string, pathOf: (sha256: string) => string, root: string): GrowingBlob {
  return {
    remove: () => rm(path, { force: true }),
    async append(start, source, arrived) {
      const file = start === 0 ? await begun(path) : await continued(path, start);
      try {
        await take(file, start, source, arrived);
      } finally {
        await file.close();
      }
    },
    async stage(size) {
      if (size === 0) await (await begun(path)).close();
      await checkSize(path, size);
      await truncate(path, size);
      const sha256 = await hashOf(path);
      const keep = () => placeBlob(link, path, pathOf(sha256), root);
      return { sha256, size, path, keep, discard: async () => undefined };
    },
  };
}

/** A new file, never the old one made empty: that may be a content's by now. */
async function begun(path: string): Promise<FileHandle> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  await syncDirectory(dirname(path));
  return file;
}

async function continued(path: string, start: number): Promise<FileHandle> {
  await checkSize(path, start);
  const file = await open(path, "r+");
  await file.truncate(start);
  return file;
}

async function take(
  file: FileHandle,
  start: number,
  source: AsyncIterable<Uint8Array>,
  arrived: (size: number) => Promise<void>,
): Promise<void> {
  let size = start;
  let stays = start;
  const sync = async () => {
    if (size === stays) return;
    await file.datasync();
    await arrived(size);
    stays = size;
  };
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; ) {
        at += (await file.write(chunk, at, chunk.length - at, size + at)).bytesWritten;
      }
      size += chunk.length;
      if (size - stays >= SYNC_BYTES) await sync();
    }
  } finally {
    await sync();
  }
}

async function checkSize(path: string, size: number): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null || found.size < size) throw new ContentLostError(`There are not ${size} bytes of it.`);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
