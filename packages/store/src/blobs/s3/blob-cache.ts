import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { lstat, readdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  createDirectory,
  isOfDeadProcess,
  NotARegularFile,
  processName,
  streamRegularFile,
} from "@berth/linux";
import type { LocalBlob } from "../interface/blob.ts";

interface Entry {
  size: number;
  users: number;
  lastUsed: number;
  /** Whether this process has verified that the copy's hash is its name. */
  verified: boolean;
}

const NAME = /^[0-9a-f]{64}$/;

const ABANDONED_MS = 24 * 3_600_000;

/**
 * A cache of contents in a directory of this host, which evicts the least recently used copies when they
 * exceed the size limit. The copies belong to one process at a time; any process may have temporary files
 * beside them.
 */
export class BlobCache {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #fetch: (sha256: string) => Readable;
  readonly #entries = new Map<string, Entry>();
  #latest = 0;
  readonly #fetching = new Map<string, Promise<void>>();

  /**
   * Opens the cache with the copies of an earlier process.
   * @param fetch Returns the bytes of a content.
   */
  static async open(
    directory: string,
    maxBytes: number,
    fetch: (sha256: string) => Readable,
  ): Promise<BlobCache> {
    createDirectory(directory);
    const cache = new BlobCache(directory, maxBytes, fetch);
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      const { size, mtimeMs } = await lstat(path);
      if (NAME.test(name)) cache.#entries.set(name, { size, users: 0, lastUsed: mtimeMs, verified: false });
      else if (isOfDeadProcess(name) || Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
    await cache.#evict();
    return cache;
  }

  private constructor(directory: string, maxBytes: number, fetch: (sha256: string) => Readable) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#fetch = fetch;
  }

  async local(sha256: string): Promise<LocalBlob> {
    const entry = await this.#entryOf(sha256);
    const path = join(this.#directory, sha256);
    await utimes(path, entry.lastUsed / 1_000, entry.lastUsed / 1_000);
    let isReleased = false;
    return {
      path,
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        entry.users -= 1;
        await this.#evict();
      },
    };
  }

  /** Returns the names of the copies that are not in use. */
  names(): string[] {
    return [...this.#entries].filter(([, { users }]) => users === 0).map(([name]) => name);
  }

  async forget(sha256: string): Promise<void> {
    const entry = this.#entries.get(sha256);
    if (entry === undefined || entry.users > 0) return;
    this.#entries.delete(sha256);
    await rm(join(this.#directory, sha256), { force: true });
  }

  /** Returns the entry, with one more user. */
  async #entryOf(sha256: string): Promise<Entry> {
    for (;;) {
      const entry = this.#entries.get(sha256);
      if (entry?.verified === true) {
        entry.users += 1;
        entry.lastUsed = this.#now();
        return entry;
      }
      await (this.#fetching.get(sha256) ?? this.#provide(sha256));
    }
  }

  /** Verifies the copy of an earlier process, or fetches a new one. */
  #provide(sha256: string): Promise<void> {
    const work = async () => {
      const entry = this.#entries.get(sha256);
      const path = join(this.#directory, sha256);
      if (entry !== undefined && (await digestOf(path)) === sha256) {
        entry.verified = true;
        return;
      }
      const partial = join(this.#directory, processName(randomUUID()));
      try {
        const size = await fetchTo(partial, this.#fetch(sha256), sha256);
        await rename(partial, path);
        this.#entries.set(sha256, { size, users: 0, lastUsed: this.#now(), verified: true });
      } finally {
        await rm(partial, { force: true });
      }
    };
    const promise = work().finally(() => this.#fetching.delete(sha256));
    this.#fetching.set(sha256, promise);
    return promise;
  }

  /** Returns the time in milliseconds, increased so that no two uses have the same time. */
  #now(): number {
    this.#latest = Math.max(Date.now(), this.#latest + 1);
    return this.#latest;
  }

  async #evict(): Promise<void> {
    let total = [...this.#entries.values()].reduce((sum, { size }) => sum + size, 0);
    const oldestFirst = [...this.#entries].sort(([, one], [, other]) => one.lastUsed - other.lastUsed);
    for (const [name, { size, users }] of oldestFirst) {
      if (total <= this.#maxBytes) return;
      if (users > 0) continue;
      await this.forget(name);
      total -= size;
    }
  }
}

async function fetchTo(path: string, source: Readable, sha256: string): Promise<number> {
  const hash = createHash("sha256");
  let size = 0;
  await pipeline(
    source,
    async function* hashed(chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path, { flags: "wx", mode: 0o600 }),
  );
  if (hash.digest("hex") !== sha256) throw new Error(`The stored content ${sha256} is damaged.`);
  return size;
}

/** Returns the SHA-256 of a file, or null when the path is a link or not a regular file. */
async function digestOf(path: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    await pipeline(streamRegularFile(path), hash);
  } catch (error) {
    if (error instanceof NotARegularFile) return null;
    throw error;
  }
  return hash.digest("hex");
}

/** Writes the source to a temporary file beside the copies, which is deleted on release. */
export async function temporaryFile(directory: string, source: Readable): Promise<LocalBlob> {
  createDirectory(directory);
  const path = join(directory, processName(randomUUID()));
  const release = () => rm(path, { force: true });
  try {
    await pipeline(source, createWriteStream(path, { flags: "wx", mode: 0o600 }));
    return { path, release };
  } catch (error) {
    await release();
    throw error;
  }
}
