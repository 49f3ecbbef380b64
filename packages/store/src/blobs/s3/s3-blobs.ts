import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { mapAtOnce } from "@berth/concurrency";
import { isOfDeadProcess } from "@berth/linux";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { BlobStore } from "../interface/blob-store.ts";
import { BlobCache, temporaryFile } from "./blob-cache.ts";
import { listPartials, lockStoreName } from "./part-store.ts";
import { readObject } from "./read-object.ts";
import { createS3Client, type Proxies } from "./s3-client.ts";
import { S3Objects } from "./s3-objects.ts";
import { GROWING, S3PartialBlob } from "./s3-partial-blob.ts";
import type { S3Place } from "./s3-place.ts";
import { STAGED, stageInS3 } from "./s3-staged-blob.ts";

export interface S3BlobOptions {
  place: S3Place;
  proxies: Proxies;
  /** The directory for copies of contents on this host, and their maximum total size. */
  cache: { directory: string; maxBytes: number };
  db: DatabaseAccess;
  /** Milliseconds for which a connection may be silent. Default: 30 s. */
  silenceMs?: number;
}

const CONTENTS = "blobs/";
const NAME = /^[0-9a-f]{64}$/;

/** Contents that are sent at once. */
const AT_ONCE = 8;

const ABANDONED_MS = 24 * 3_600_000;

/** Opens a store of contents in a bucket, which processes on any number of machines share. */
export function openS3Blobs({ place, proxies, cache, db, silenceMs }: S3BlobOptions): BlobStore {
  const objects = new S3Objects(createS3Client(place, proxies, silenceMs), place);
  const keyOf = (sha256: string) => CONTENTS + sha256;
  const toLocal = (source: Readable) => temporaryFile(cache.directory, source);
  const read: BlobStore["read"] = (sha256, range) => readObject(objects, keyOf(sha256), range);
  let opened: Promise<BlobCache> | undefined;
  const copies = () => {
    opened ??= BlobCache.open(cache.directory, cache.maxBytes, (sha256) => read(sha256));
    return opened;
  };
  return {
    id: () => storeId(db, objects),
    check: () => check(objects),
    stage: (source) => stageInS3({ objects, keyOf, toLocal }, source),
    async storeAll(contents) {
      await mapAtOnce(AT_ONCE, [...contents], ([sha256, bytes]) => objects.put(keyOf(sha256), bytes));
    },
    partial: (fileId) => new S3PartialBlob(fileId, { db, objects, keyOf, toLocal }),
    partialNames: async () => (await listPartials(db.write)).map(({ fileId }) => fileId),
    read,
    remove: (sha256) => objects.remove(keyOf(sha256)),
    local: async (sha256) => await (await copies()).local(sha256),
    names: () => namesOf(objects),
    async age(sha256) {
      const found = await objects.head(keyOf(sha256));
      return found === null ? 0 : Date.now() - found.modified.getTime();
    },
    removeAbandoned: (abandonedMs = ABANDONED_MS) => removeAbandoned(db, objects, abandonedMs),
    async removeCopies(areUsed) {
      const cached = await copies();
      const names = cached.names();
      const used = await areUsed(names);
      for (const name of names) if (!used.has(name)) await cached.forget(name);
    },
    close: () => objects.close(),
  };
}

/** Returns the store's id. Under a lock, the first service creates it and the others read it. */
async function storeId(db: DatabaseAccess, objects: S3Objects): Promise<string> {
  return await db.transaction(async (tx) => {
    await lockStoreName(tx);
    const known = await objects.get("store");
    if (known !== null) return (await text(known.body)).trim();
    const id = randomUUID();
    await objects.put("store", Buffer.from(`${id}\n`));
    return id;
  });
}

async function check(objects: S3Objects): Promise<void> {
  const [key, content] = [`checks/${randomUUID()}`, randomUUID()];
  await objects.put(key, Buffer.from(content));
  const found = await objects.get(key);
  const read = found === null ? null : await text(found.body);
  await objects.remove(key);
  if (read !== content) throw new Error("S3 returned other bytes than were stored in it.");
}

async function* namesOf(objects: S3Objects): AsyncGenerator<string[]> {
  for await (const page of objects.list(CONTENTS)) {
    const names = page.map(({ key }) => key.slice(CONTENTS.length)).filter((name) => NAME.test(name));
    if (names.length > 0) yield names;
  }
}

/**
 * Removes abandoned staged contents, objects of partial contents without a row, and uploads that nobody will
 * complete.
 */
async function removeAbandoned(db: DatabaseAccess, objects: S3Objects, abandonedMs: number): Promise<void> {
  const before = new Date(Date.now() - abandonedMs);
  for await (const page of objects.list(STAGED))
    for (const { key, modified } of page)
      if (modified < before || isOfDeadProcess(key.slice(STAGED.length))) await objects.remove(key);
  for await (const page of objects.list(GROWING)) {
    const old = page.filter(({ modified }) => modified < before);
    const known =
      old.length === 0 ? new Set() : new Set((await listPartials(db.write)).map(({ fileId }) => fileId));
    for (const { key } of old)
      if (!known.has(key.slice(GROWING.length).split(".")[0] ?? "")) await objects.remove(key);
  }
  const uploads = await objects.uploadsBefore(before);
  const known = new Set((await listPartials(db.write)).map(({ uploadId }) => uploadId));
  for (const { key, uploadId } of uploads) if (!known.has(uploadId)) await objects.abortUpload(key, uploadId);
}
