import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { BlobsUnavailableError } from "../interface/blobs-unavailable.ts";
import { type Failure, failureOf, s3Fault } from "./s3-fault.ts";
import type { S3Place } from "./s3-place.ts";

export interface StoredObject {
  size: number;
  etag: string;
  modified: Date;
}

export interface ListedObject {
  key: string;
  modified: Date;
}

export interface MultipartUpload {
  key: string;
  uploadId: string;
}

/**
 * The most bytes to copy in one request. S3 allows 5 GiB, but some servers stay silent until the copy is
 * done.
 */
const COPY_BYTES = 1024 ** 3;

/**
 * The objects below a prefix of a bucket; keys are without the prefix. A request that fails temporarily is
 * retried for some seconds. After that, and on any other failure, it rejects with `BlobsUnavailableError`.
 */
export class S3Objects {
  readonly #client: S3Client;
  readonly #place: S3Place;
  readonly #copyBytes: number;

  constructor(client: S3Client, place: S3Place, copyBytes = COPY_BYTES) {
    this.#client = client;
    this.#place = place;
    this.#copyBytes = copyBytes;
  }

  /**
   * Stores an object, durably when this resolves.
   * @returns its ETag.
   */
  async put(key: string, bytes: Buffer): Promise<string> {
    const body = { Body: bytes, ContentLength: bytes.length, ContentMD5: md5(bytes) };
    const put = await this.#do(() => this.#client.send(new PutObjectCommand({ ...this.#at(key), ...body })));
    return plain(put.ETag);
  }

  /**
   * Reads an object, or its bytes from `start` to `end`, inclusive. Returns null when there is no such
   * object.
   */
  async get(
    key: string,
    range?: { start: number; end: number | "" },
  ): Promise<{ body: Readable; etag: string } | null> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    const found = await this.#orNull(() =>
      this.#client.send(new GetObjectCommand({ ...this.#at(key), ...part })),
    );
    return found === null ? null : { body: found.Body as Readable, etag: plain(found.ETag) };
  }

  async head(key: string): Promise<StoredObject | null> {
    const found = await this.#orNull(() => this.#client.send(new HeadObjectCommand(this.#at(key))));
    if (found === null) return null;
    return {
      size: found.ContentLength ?? 0,
      etag: plain(found.ETag),
      modified: found.LastModified ?? new Date(0),
    };
  }

  /** Removes an object. Does nothing if there is none. */
  async remove(key: string): Promise<void> {
    await this.#orNull(() => this.#client.send(new DeleteObjectCommand(this.#at(key))));
  }

  /** Yields the objects whose keys begin with the text, up to a thousand at a time. */
  async *list(text: string): AsyncGenerator<ListedObject[]> {
    for (let next: string | undefined; ; ) {
      const page = await this.#do(() =>
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: this.#place.bucket,
            Prefix: this.#place.prefix + text,
            ...(next === undefined ? {} : { ContinuationToken: next }),
          }),
        ),
      );
      yield (page.Contents ?? []).map(({ Key = "", LastModified = new Date() }) => ({
        key: Key.slice(this.#place.prefix.length),
        modified: LastModified,
      }));
      if (page.IsTruncated !== true) return;
      next = page.NextContinuationToken;
    }
  }

  /** Copies an object of `size` bytes within the bucket. */
  async copy(from: string, to: string, size: number): Promise<void> {
    const source = {
      ...this.#at(to),
      CopySource: encodeURI(`${this.#place.bucket}/${this.#place.prefix}${from}`),
    };
    if (size <= this.#copyBytes) {
      await this.#do(() => this.#client.send(new CopyObjectCommand(source)));
      return;
    }
    const uploadId = await this.createUpload(to);
    try {
      const parts: { number: number; etag: string }[] = [];
      for (let at = 0; at < size; at += this.#copyBytes) {
        const number = parts.length + 1;
        const CopySourceRange = `bytes=${at}-${Math.min(at + this.#copyBytes, size) - 1}`;
        const part = { ...source, UploadId: uploadId, PartNumber: number, CopySourceRange };
        const copied = await this.#do(() => this.#client.send(new UploadPartCopyCommand(part)));
        parts.push({ number, etag: plain(copied.CopyPartResult?.ETag) });
      }
      await this.completeUpload(to, uploadId, parts);
    } catch (error) {
      await this.abortUpload(to, uploadId).catch(() => undefined);
      throw error;
    }
  }

  async createUpload(key: string): Promise<string> {
    const made = await this.#do(() => this.#client.send(new CreateMultipartUploadCommand(this.#at(key))));
    return made.UploadId ?? "";
  }

  /**
   * Uploads a part.
   * @returns its ETag; null when there is no such upload.
   */
  async putPart(key: string, uploadId: string, number: number, bytes: Buffer): Promise<string | null> {
    const part = { UploadId: uploadId, PartNumber: number };
    const body = { Body: bytes, ContentLength: bytes.length, ContentMD5: md5(bytes) };
    const put = await this.#orNull(() =>
      this.#client.send(new UploadPartCommand({ ...this.#at(key), ...part, ...body })),
    );
    return put === null ? null : plain(put.ETag);
  }

  /** Completes an upload. Returns false when there is no such upload, or its parts differ. */
  async completeUpload(
    key: string,
    uploadId: string,
    parts: readonly { number: number; etag: string }[],
  ): Promise<boolean> {
    const upload = { Parts: parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })) };
    const made = await this.#orNull(() =>
      this.#client.send(
        new CompleteMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId, MultipartUpload: upload }),
      ),
    );
    return made !== null;
  }

  /** Aborts an upload. Does nothing if there is none. */
  async abortUpload(key: string, uploadId: string): Promise<void> {
    await this.#orNull(() =>
      this.#client.send(new AbortMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId })),
    );
  }

  /** Returns the unfinished uploads that began before the time, or none where the server cannot list them. */
  async uploadsBefore(time: Date): Promise<MultipartUpload[]> {
    const { bucket: Bucket, prefix: Prefix } = this.#place;
    const found: MultipartUpload[] = [];
    for (let marker: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
      const page = await this.#orNull(
        () => this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...marker })),
        NOT_IMPLEMENTED,
      );
      for (const { Key = "", UploadId = "", Initiated = new Date() } of page?.Uploads ?? [])
        if (Initiated < time) found.push({ key: Key.slice(Prefix.length), uploadId: UploadId });
      if (page?.IsTruncated !== true) return found;
      marker = {
        ...(page.NextKeyMarker === undefined ? {} : { KeyMarker: page.NextKeyMarker }),
        ...(page.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }),
      };
    }
  }

  close(): void {
    this.#client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#place.bucket, Key: this.#place.prefix + key };
  }

  async #do<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw this.#unavailable(failureOf(error));
    }
  }

  async #orNull<T>(send: () => Promise<T>, absent: ReadonlySet<string> = ABSENT): Promise<T | null> {
    try {
      return await send();
    } catch (error) {
      const failure = failureOf(error);
      if (absent.has(failure.code)) return null;
      throw this.#unavailable(failure);
    }
  }

  #unavailable(failure: Failure): BlobsUnavailableError {
    return new BlobsUnavailableError(s3Fault(this.#place, failure));
  }
}

/**
 * Error codes for a missing object or upload, or parts that differ. `NotFound` is the SDK's code for a
 * response without a body.
 */
const ABSENT: ReadonlySet<string> = new Set([
  "NoSuchKey",
  "NotFound",
  "NoSuchUpload",
  "InvalidPart",
  "InvalidPartOrder",
  "EntityTooSmall",
]);

const NOT_IMPLEMENTED: ReadonlySet<string> = new Set(["NotImplemented", "MethodNotAllowed"]);

function md5(bytes: Buffer): string {
  return createHash("md5").update(bytes).digest("base64");
}

/** Removes the quotes that some servers put around an ETag. */
function plain(etag = ""): string {
  return etag.replaceAll('"', "");
}
