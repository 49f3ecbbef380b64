import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { LocalBlob, StagedBlob } from "../interface/blob.ts";
import {
  ContentLostError,
  type OnSynced,
  type PartialBlob,
  SupersededError,
  SYNC_BYTES,
} from "../interface/partial-blob.ts";
import { type Chain, chainOf } from "./chain.ts";
import {
  deletePartial,
  deleteParts,
  hasPartial,
  nextNumber,
  type Part,
  storePart,
  storeUpload,
  takePartial,
  type Upload,
  type Writer,
} from "./part-store.ts";
import { readObject } from "./read-object.ts";
import type { S3Objects } from "./s3-objects.ts";
import { Split } from "./split.ts";

export interface PartialDeps {
  db: DatabaseAccess;
  objects: S3Objects;
  /** Returns the key of a complete content. */
  keyOf(sha256: string): string;
  /** Writes the bytes to a file on this host. */
  toLocal(source: Readable): Promise<LocalBlob>;
}

/** The minimum size that S3 requires of every part except the last. */
const MIN_PART_BYTES = 5 * 1_048_576;

/** Prefix of the keys of partial contents. */
export const GROWING = "growing/";

/**
 * A partial content as a multipart upload. Bytes after its last part that are too few for another part are in
 * an object of their own. The rows of the parts record what was received. A request that begins takes over
 * the content from any other.
 */
export class S3PartialBlob implements PartialBlob {
  readonly #fileId: string;
  readonly #key: string;
  readonly #deps: PartialDeps;

  constructor(fileId: string, deps: PartialDeps) {
    this.#fileId = fileId;
    this.#key = GROWING + fileId;
    this.#deps = deps;
  }

  async append(start: number, source: AsyncIterable<Uint8Array>, onSynced: OnSynced): Promise<void> {
    const { writer, upload, chain } = await this.#begin(start);
    const split = new Split(SYNC_BYTES);
    const first = await this.#tailOf(chain);
    let at = start - first.length;
    let current = upload;
    for await (const { bytes, last } of split.of(source, first)) {
      if (last && at + bytes.length === start) break;
      if (last && bytes.length === 0) break;
      const isTail = bytes.length < MIN_PART_BYTES;
      if (!isTail) current ??= await this.#createUpload(writer);
      await this.#store(writer, current, { firstByte: at, bytes, tail: isTail });
      at += bytes.length;
      await onSynced(at);
    }
    split.throwFailure();
  }

  async stage(size: number): Promise<StagedBlob> {
    const { writer, upload, chain } = await this.#begin(size);
    if (chain.parts.length === 0) return this.#stageBytes(await this.#tailOf(chain));
    if (upload === null) throw lost(size);
    const parts = await this.#withTailAsPart(writer, upload, chain);
    const { objects } = this.#deps;
    const key = this.#uploadKey(upload);
    await objects.completeUpload(key, upload.id, parts);
    // A retry finds the upload completed, which S3 reports as missing, and the object in place.
    const made = await objects.head(key);
    if (made?.size !== size) throw lost(size);
    const sha256 = await this.#hash(key, size);
    const to = this.#deps.keyOf(sha256);
    return {
      sha256,
      size,
      local: () => this.#deps.toLocal(readObject(objects, key)),
      keep: async () => {
        if ((await objects.head(to)) === null) await objects.copy(key, to, size);
      },
      discard: async () => undefined,
    };
  }

  /** Deletes the row last, so that a failed removal can be repeated. */
  async remove(): Promise<void> {
    const { db, objects } = this.#deps;
    if (!(await hasPartial(db.write, this.#fileId))) return;
    const writer = this.#newWriter();
    const { upload } = await takePartial(db.write, writer);
    await this.#clear(upload);
    for await (const page of objects.list(`${this.#key}.`))
      for (const { key } of page) await objects.remove(key);
    await deletePartial(db.write, writer);
  }

  #newWriter(): Writer {
    return { fileId: this.#fileId, writer: randomUUID() };
  }

  /**
   * Takes over the content and removes everything after its first `size` bytes.
   * @throws ContentLostError when there are fewer.
   */
  async #begin(size: number): Promise<{ writer: Writer; upload: Upload | null; chain: Chain }> {
    const { write } = this.#deps.db;
    const writer = this.#newWriter();
    const { upload, parts } = await takePartial(write, writer);
    const chain = chainOf(parts, size);
    if (chain === null) throw lost(size);
    for (const part of chain.others) if (part.tail) await this.#removeTail(part.number);
    await deleteParts(
      write,
      writer,
      chain.others.map(({ number }) => number),
    );
    if (size > 0) return { writer, upload, chain };
    await this.#clear(upload);
    await storeUpload(write, writer, null);
    return { writer, upload: null, chain };
  }

  async #clear(upload: Upload | null): Promise<void> {
    if (upload === null) return;
    await this.#deps.objects.abortUpload(this.#uploadKey(upload), upload.id);
    await this.#deps.objects.remove(this.#uploadKey(upload));
  }

  async #createUpload(writer: Writer): Promise<Upload> {
    const { db, objects } = this.#deps;
    const number = await nextNumber(db.write, writer);
    const key = this.#uploadKey({ number });
    const upload = { id: await objects.createUpload(key), number };
    try {
      await storeUpload(db.write, writer, upload);
    } catch (error) {
      await objects.abortUpload(key, upload.id).catch(() => undefined);
      throw error;
    }
    return upload;
  }

  async #store(
    writer: Writer,
    upload: Upload | null,
    { firstByte, bytes, tail }: { firstByte: number; bytes: Buffer; tail: boolean },
  ): Promise<Part> {
    const { db, objects } = this.#deps;
    const number = await nextNumber(db.write, writer);
    const etag =
      tail || upload === null
        ? await objects.put(this.#tailKey(number), bytes)
        : await objects.putPart(this.#uploadKey(upload), upload.id, number, bytes);
    // Only a later writer of the content ends its upload.
    if (etag === null) throw new SupersededError("Another request ended the upload of this content.");
    const part = { number, firstByte, size: bytes.length, etag, tail };
    await storePart(db.write, writer, part);
    return part;
  }

  async #withTailAsPart(writer: Writer, upload: Upload, chain: Chain): Promise<Part[]> {
    if (chain.tail === null) return chain.parts;
    const bytes = await this.#tailOf(chain);
    const { number, firstByte } = chain.tail;
    const part = await this.#store(writer, upload, { firstByte, bytes, tail: false });
    await deleteParts(this.#deps.db.write, writer, [number]);
    await this.#removeTail(number);
    return [...chain.parts, part];
  }

  #stageBytes(bytes: Buffer): StagedBlob {
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const local = () => this.#deps.toLocal(Readable.from([bytes], { objectMode: false }));
    const keep = async () => {
      await this.#deps.objects.put(this.#deps.keyOf(sha256), bytes);
    };
    return { sha256, size: bytes.length, local, keep, discard: async () => undefined };
  }

  /**
   * Reads the tail.
   * @throws ContentLostError when it is not what was stored.
   */
  async #tailOf({ tail, tailBytes }: Chain): Promise<Buffer> {
    if (tail === null) return Buffer.alloc(0);
    const found = await this.#deps.objects.get(this.#tailKey(tail.number));
    if (found === null) throw lost(tail.firstByte + tailBytes);
    const bytes = Buffer.concat(await found.body.toArray());
    if (bytes.length !== tail.size || found.etag !== tail.etag) throw lost(tail.firstByte + tailBytes);
    return bytes.subarray(0, tailBytes);
  }

  async #hash(key: string, size: number): Promise<string> {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of readObject(this.#deps.objects, key)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (bytes !== size) throw lost(size);
    return hash.digest("hex");
  }

  #uploadKey({ number }: Pick<Upload, "number">): string {
    return `${this.#key}.${number}`;
  }

  /** Removes a tail. If this fails, it is removed later with the rest of the content. */
  async #removeTail(number: number): Promise<void> {
    await this.#deps.objects.remove(this.#tailKey(number)).catch(() => undefined);
  }

  #tailKey(number: number): string {
    return `${this.#key}.${number}.tail`;
  }
}

function lost(size: number): ContentLostError {
  return new ContentLostError(`The content has fewer than ${size} bytes.`);
}
