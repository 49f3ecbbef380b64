import { createHash, randomUUID } from "node:crypto";
import { lstat, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createDirectory,
  isOfDeadProcess,
  machineId,
  processName,
  statRegularFile,
  streamRegularFile,
} from "@berth/linux";
import type { Blob, LocalBlob } from "../interface/blob.ts";
import type { BlobStore } from "../interface/blob-store.ts";
import { DiskPartialBlob } from "./disk-partial-blob.ts";
import { diskStoreId } from "./disk-store-id.ts";
import { giveToOwner } from "./give-to-owner.ts";
import { installAll } from "./install-all.ts";
import { installBlob } from "./install-blob.ts";

const ABANDONED_MS = 24 * 3_600_000;

const NAMES_AT_ONCE = 500;

/**
 * Opens a store of contents in a directory. Several processes of one machine can share it, or of several
 * machines through a file server. A link or a pipe in place of a content is not read.
 */
export async function openDiskBlobs(directory: string): Promise<BlobStore> {
  const staged = join(directory, "partial");
  const partial = join(directory, "growing");
  for (const needed of [staged, partial]) createDirectory(needed);
  await giveToOwner([staged, partial], directory);
  const path = (sha256: string) => contentPath(directory, sha256);
  return {
    id: () => diskStoreId(directory),
    check: () => checkDirectory(staged),
    local: async (sha256) => fileAt(path(sha256)),
    partial: (fileId) => new DiskPartialBlob(join(partial, fileId), path, directory),
    partialNames: () => readdir(partial),
    // A reader that starts later still gets the error; without a listener it would end the process.
    read: (sha256, range) => streamRegularFile(path(sha256), range).on("error", () => {}),
    remove: (sha256) => rm(path(sha256), { force: true }),
    names: () => namesBelow(directory),
    age: (sha256) => ageOf(path(sha256)),
    removeCopies: async () => undefined,
    close: () => undefined,
    async removeAbandoned(abandonedMs = ABANDONED_MS) {
      for (const name of await readdir(staged)) {
        const abandoned = isAbandoned(name) || (await ageOf(join(staged, name))) > abandonedMs;
        if (abandoned) await rm(join(staged, name), { force: true });
      }
    },
    async storeAll(contents) {
      const paths = [...contents].map(([sha256, bytes]) => [path(sha256), bytes] as const);
      await installAll(new Map(paths), staged, directory);
    },
    async stage(source) {
      const temporary = join(staged, processName(randomUUID()));
      const discard = () => rm(temporary, { force: true });
      try {
        const blob = await fill(temporary, source);
        const keep = () => installBlob(rename, temporary, path(blob.sha256), directory).finally(discard);
        return { ...blob, local: async () => fileAt(temporary), keep, discard };
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

async function checkDirectory(directory: string): Promise<void> {
  const path = join(directory, processName(randomUUID()));
  try {
    await writeFile(path, "", { flag: "wx", mode: 0o600 });
    await rm(path);
  } catch (error) {
    throw new Error(`The directory for file contents cannot be written: ${(error as Error).message}`);
  }
}

/** Returns a file of the store itself, which needs no release. */
async function fileAt(path: string): Promise<LocalBlob> {
  await statRegularFile(path);
  return { path, release: async () => undefined };
}

/** Returns the path of a content in a store's directory. */
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
  const found = await lstat(path).catch(() => null);
  return found === null ? 0 : Date.now() - found.mtimeMs;
}

/** Returns whether a dead process left the file. Names without a machine are those of this one. */
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
