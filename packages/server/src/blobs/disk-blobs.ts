import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createDirectory, isOfDeadProcess, machineId, processName } from "@berth/linux";
import type { Blob, StagedBlob } from "./blob.ts";
import { giveToOwner } from "./give-to-owner.ts";
import { installBlob } from "./install-blob.ts";
import { PartialBlob } from "./partial-blob.ts";

/** Contents of files on a disk. Equal contents are stored once. */
export interface BlobStore {
  /** Writes what the source yields to the disk. When the source or the disk fails, nothing is left. */
  stage(source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /** A content that arrives in parts. `name` has letters, digits and hyphens. */
  partial(name: string): PartialBlob;
  /** The names of the partial contents that exist. */
  partialNames(): Promise<string[]>;
  /** The bytes, or those from `start` to `end`, inclusive. */
  read(sha256: string, range?: { start: number; end: number }): Readable;
  /** Does nothing if the content does not exist. */
  remove(sha256: string): Promise<void>;
  /** Its path on this host. A content is never changed in place. */
  path(sha256: string): string;
  /** The names of all contents, some hundreds at a time. */
  names(): AsyncGenerator<string[]>;
  /** Milliseconds since the content was written; 0 when it does not exist. */
  age(sha256: string): Promise<number>;
  /** Removes what dead processes of this machine have staged, and staged contents that were not written to for a day. */
  removeAbandoned(): Promise<void>;
}

const ABANDONED_MS = 24 * 3_600_000;

const NAMES_AT_ONCE = 500;

/** Opens the store. Several processes of the service share it. */
export async function openDiskBlobs(directory: string): Promise<BlobStore> {
  const staged = join(directory, "partial");
  const partial = join(directory, "growing");
  for (const needed of [staged, partial]) createDirectory(needed);
  await giveToOwner([staged, partial], directory);
  const path = (sha256: string) => contentPath(directory, sha256);
  return {
    path,
    partial: (name) => new PartialBlob(join(partial, name), path, directory),
    partialNames: () => readdir(partial),
    read: (sha256, range) => createReadStream(path(sha256), range),
    remove: (sha256) => rm(path(sha256), { force: true }),
    names: () => namesBelow(directory),
    age: (sha256) => ageOf(path(sha256)),
    async removeAbandoned() {
      for (const name of await readdir(staged)) {
        const abandoned = isAbandoned(name) || (await ageOf(join(staged, name))) > ABANDONED_MS;
        if (abandoned) await rm(join(staged, name), { force: true });
      }
    },
    async stage(source) {
      const temporary = join(staged, processName(randomUUID()));
      const discard = () => rm(temporary, { force: true });
      try {
        const blob = await fill(temporary, source);
        const keep = () => installBlob(rename, temporary, path(blob.sha256), directory).finally(discard);
        return { ...blob, path: temporary, keep, discard };
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

/** Where a store in the directory has a content. */
export function contentPath(directory: string, sha256: string): string {
  return join(directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
}

async function* namesBelow(directory: string): AsyncGenerator<string[]> {
  let names: string[] = [];
  for (const outer of await hexadecimals(directory, 2)) {
    for (const inner of await hexadecimals(join(directory, outer), 2)) {
      names.push(...(await hexadecimals(join(directory, outer, inner), 64)));
      if (names.length < NAMES_AT_ONCE) continue;
      yield names;
      names = [];
    }
  }
  if (names.length > 0) yield names;
}

async function hexadecimals(directory: string, digits: number): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name.length === digits && /^[0-9a-f]+$/.test(name));
}

async function ageOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return found === null ? 0 : Date.now() - found.mtimeMs;
}

/** Names of earlier releases lack the machine, which was this one. */
function isAbandoned(name: string): boolean {
  return isOfDeadProcess(name.split(".").length === 3 ? `${machineId()}.${name}` : name);
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
