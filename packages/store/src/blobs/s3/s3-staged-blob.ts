import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { processName } from "@berth/linux";
import type { LocalBlob, StagedBlob } from "../interface/blob.ts";
import { SYNC_BYTES } from "../interface/partial-blob.ts";
import { readObject } from "./read-object.ts";
import type { S3Objects } from "./s3-objects.ts";
import { Split } from "./split.ts";

export interface StageDeps {
  objects: S3Objects;
  keyOf(sha256: string): string;
  /** Writes the bytes to a file on this host. */
  toLocal(source: Readable): Promise<LocalBlob>;
}

/** Prefix of the keys of staged contents. */
export const STAGED = "staged/";

/** Stages a content: a small one in memory, a larger one in an object of its own, which `keep` copies. */
export async function stageInS3(deps: StageDeps, source: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
  const hash = createHash("sha256");
  const split = new Split(SYNC_BYTES);
  const upload = new StagedUpload(deps.objects);
  let size = 0;
  try {
    for await (const { bytes, last } of split.of(source, new Uint8Array())) {
      hash.update(bytes);
      size += bytes.length;
      if (last) split.throwFailure();
      if (last && !upload.began) return inMemory(deps, bytes, hash.digest("hex"));
      if (bytes.length > 0) await upload.put(bytes);
    }
    await upload.complete();
  } catch (error) {
    await upload.abort().catch(() => undefined);
    throw error;
  }
  const sha256 = hash.digest("hex");
  return { sha256, size, ...inObject(deps, upload.key, { size, to: deps.keyOf(sha256) }) };
}

function inMemory({ objects, keyOf, toLocal }: StageDeps, bytes: Buffer, sha256: string): StagedBlob {
  const keep = async () => {
    await objects.put(keyOf(sha256), bytes);
  };
  return {
    sha256,
    size: bytes.length,
    local: () => toLocal(Readable.from([bytes], { objectMode: false })),
    keep,
    discard: async () => undefined,
  };
}

function inObject(
  { objects, toLocal }: StageDeps,
  key: string,
  { size, to }: { size: number; to: string },
): Pick<StagedBlob, "local" | "keep" | "discard"> {
  let left = false;
  const discard = async () => {
    if (left) return;
    await objects.remove(key);
    left = true;
  };
  return {
    local: () => toLocal(readObject(objects, key)),
    async keep() {
      if ((await objects.head(to)) === null) await objects.copy(key, to, size);
      // `removeAbandoned` later removes an object that cannot be removed here.
      await discard().catch(() => undefined);
    },
    discard,
  };
}

/** The multipart upload of one staged content. */
class StagedUpload {
  readonly key = STAGED + processName(randomUUID());
  readonly #objects: S3Objects;
  readonly #parts: { number: number; etag: string }[] = [];
  #uploadId: string | null = null;

  constructor(objects: S3Objects) {
    this.#objects = objects;
  }

  get began(): boolean {
    return this.#uploadId !== null;
  }

  async put(bytes: Buffer): Promise<void> {
    this.#uploadId ??= await this.#objects.createUpload(this.key);
    const number = this.#parts.length + 1;
    const etag = await this.#objects.putPart(this.key, this.#uploadId, number, bytes);
    if (etag === null) throw gone();
    this.#parts.push({ number, etag });
  }

  async complete(): Promise<void> {
    if (
      this.#uploadId === null ||
      !(await this.#objects.completeUpload(this.key, this.#uploadId, this.#parts))
    )
      throw gone();
  }

  async abort(): Promise<void> {
    if (this.#uploadId === null) return;
    await this.#objects.abortUpload(this.key, this.#uploadId);
    await this.#objects.remove(this.key);
  }
}

function gone(): Error {
  return new Error("The upload of a staged content was ended from outside.");
}
