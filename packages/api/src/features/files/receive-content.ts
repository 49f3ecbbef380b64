import type { IncomingMessage } from "node:http";
import type { Principal } from "@berth/store/access";
import { type BlobStore, ContentLostError, SupersededError } from "@berth/store/blobs";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { ApiError, errors } from "@berth/store/errors";
import type { OwnerLimits } from "@berth/store/limits";
import { completeUpload } from "./complete-upload.ts";
import type { ContentRange } from "./content-range.ts";
import { type FileRow, requireFile } from "./file-store.ts";
import { takeUpload } from "./upload-lease.ts";
import { markFailed, storeReceived } from "./upload-store.ts";

export interface ReceiveDeps {
  blobs: BlobStore;
  /** Maximum bytes of a file. */
  limit: number;
  limits: OwnerLimits;
}

/** A request that sends content, or asks how much was received. */
export interface Sending {
  principal: Principal;
  fileId: string;
  range: ContentRange;
  body: IncomingMessage;
  /** Writes the audit entry, in the transaction in which the file becomes ready. */
  audit(tx: Queryable): Promise<void>;
}

/**
 * Receives the content of a pending file, or a part of it. Returns the file, which is ready when the content
 * is complete. When the connection breaks, the received bytes are kept. On rejection they are deleted.
 *
 * @throws errors.notFound, errors.notYours, errors.fileNotPending, errors.fileReceiving,
 * errors.partMisplaced, errors.fileLost, errors.overLimit
 */
export async function receiveContent(
  db: DatabaseAccess,
  deps: ReceiveDeps,
  sending: Sending,
): Promise<FileRow> {
  const { principal, fileId, range } = sending;
  const { id, ...file } = await requireFile(db.read, principal, fileId);
  if (range.type === "query" && !completes(file, range)) return { id, ...file };
  if (file.status !== "pending") throw errors.fileNotPending(fileId, file.status);
  const lease = await takeUpload(db.write, id);
  if (lease === null) throw errors.fileReceiving(fileId);
  const { receiver } = lease;
  try {
    // The row is read again, because the previous receiver may have stored more since.
    return await receive(db, deps, await requireFile(db.read, principal, fileId), { ...sending, receiver });
  } catch (error) {
    if (error instanceof SupersededError) throw await lost(db, sending);
    if (!(error instanceof ContentLostError)) throw error;
    await markFailed(db.write, id);
    await deps.blobs.partial(id).remove();
    throw errors.fileLost(fileId);
  } finally {
    await lease.release();
  }
}

/** Returns whether a status query completes the upload, for a client that learns the size only at the end. */
function completes(
  file: Pick<FileRow, "status" | "uploaded_bytes">,
  { total }: ContentRange & { type: "query" },
): boolean {
  return file.status === "pending" && total === file.uploaded_bytes;
}

async function receive(
  db: DatabaseAccess,
  deps: ReceiveDeps,
  file: FileRow,
  sending: Sending & { receiver: string },
): Promise<FileRow> {
  const { range, body, receiver, audit } = sending;
  if (file.status !== "pending") throw errors.fileNotPending(sending.fileId, file.status);
  checkRange(file, range, deps.limit);
  if (range.type === "query")
    return await completeUpload(db, deps, file, { size: file.uploaded_bytes, receiver, audit });
  const start = range.type === "whole" ? 0 : range.start;
  const size = range.type === "part" ? range.total : null;
  let latest = file;
  const onSynced = async (uploaded: number) => {
    const stored = await storeReceived(db.write, file.id, { uploaded, size, receiver });
    if (stored === null) throw await lost(db, sending);
    latest = stored;
  };
  if (start !== file.uploaded_bytes) await onSynced(start);
  try {
    await deps.blobs.partial(file.id).append(start, checkedBody(body, file, range, deps.limit), onSynced);
  } catch (error) {
    if (error instanceof ApiError) await onSynced(start);
    throw body.errored === null ? error : errors.bodyCut();
  }
  const whole = range.type === "whole" ? latest.uploaded_bytes : latest.size_bytes;
  return latest.uploaded_bytes === whole
    ? await completeUpload(db, deps, latest, { size: whole, receiver, audit })
    : latest;
}

/** Returns the error of a request that lost the file, which is not pending or has another receiver. */
async function lost(db: DatabaseAccess, { principal, fileId }: Sending): Promise<ApiError> {
  const { status } = await requireFile(db.write, principal, fileId);
  return status === "pending" ? errors.fileReceiving(fileId) : errors.fileNotPending(fileId, status);
}

/** Checks a request before its body is read. */
function checkRange(file: FileRow, range: ContentRange, limit: number): void {
  const { size_bytes: announced, uploaded_bytes: expected } = file;
  const total = range.type === "whole" ? range.length : range.total;
  if (total !== null && announced !== null && total !== announced) throw errors.otherSize(announced);
  if (range.type === "whole" && (total ?? 0) > limit) throw errors.bodyTooLarge(limit);
  if (total !== null && total > limit) throw errors.contentTooLarge(limit, "content-range");
  if (range.type !== "part") return;
  if (announced !== null && range.end > announced) throw errors.otherSize(announced);
  if (range.end > limit) throw errors.contentTooLarge(limit, "content-range");
  if (range.start !== expected) throw errors.partMisplaced(expected);
}

/** Yields the bytes of the body. Throws when there are more than allowed, or more or fewer than announced. */
async function* checkedBody(
  body: IncomingMessage,
  { size_bytes: announced }: FileRow,
  range: ContentRange & { type: "whole" | "part" },
  limit: number,
): AsyncGenerator<Buffer> {
  const length = range.type === "part" ? range.end - range.start : announced;
  let size = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (length === null && size > limit) throw errors.bodyTooLarge(limit);
    if (length !== null && size > length) throw otherLength(range, length);
    yield chunk;
  }
  if (length !== null && size !== length) throw otherLength(range, length);
}

function otherLength(range: ContentRange, length: number): ApiError {
  return range.type === "part"
    ? errors.badContentRange(`The body must have ${length} bytes to match its 'content-range'.`)
    : errors.otherSize(length);
}
