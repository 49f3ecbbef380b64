import type { IncomingMessage } from "node:http";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import { ContentLostError } from "../../blobs/growing-blob.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import { ApiError } from "../../http/api-error.ts";
import { errors } from "../../http/errors.ts";
import type { Principal } from "../../http/principal.ts";
import type { Sent } from "./content-range.ts";
import type { FileRow } from "./file-store.ts";
import { finishFile } from "./finish-file.ts";
import { reachFile } from "./reach-file.ts";
import { markFailed, storeArrived } from "./upload-store.ts";

export interface ReceiveDeps {
  blobs: BlobStore;
  /** Bytes of a file. */
  limit: number;
  /** The uuids of the files whose content is being received just now: each has one sender at a time. */
  receiving: Set<string>;
}

/** A request that sends content, or asks how much there is. */
export interface Sending {
  principal: Principal;
  fileId: string;
  sent: Sent;
  body: IncomingMessage;
}

/**
 * Takes in the content of a pending file, or a part of it, and answers the file: ready when the content is whole. What a
 * connection that breaks has brought stays, and so does nothing of a body that is refused.
 *
 * @throws errors.notFound, errors.notYours, errors.fileNotPending, errors.fileReceiving, errors.partMisplaced, errors.fileLost
 */
export async function receiveContent(
  db: DatabaseAccess,
  deps: ReceiveDeps,
  sending: Sending,
): Promise<FileRow> {
  const { principal, fileId, sent } = sending;
  const { id, ...file } = await reachFile(db, principal, fileId);
  if (sent.type === "question" && !completes(file, sent)) return { id, ...file };
  if (file.status !== "pending") throw errors.fileNotPending(fileId, file.status);
  if (deps.receiving.has(id)) throw errors.fileReceiving(fileId);
  deps.receiving.add(id);
  try {
    // Whoever sent before may have brought more since it was looked at.
    return await receive(db, deps, await reachFile(db, principal, fileId), sending);
  } catch (error) {
    if (!(error instanceof ContentLostError)) throw error;
    await markFailed(db.write, id);
    await deps.blobs.growing(id).remove();
    throw errors.fileLost(fileId);
  } finally {
    deps.receiving.delete(id);
  }
}

/** Whoever knows the size only at the end tells it by asking. */
function completes(
  file: Pick<FileRow, "status" | "uploaded_bytes">,
  { total }: Sent & { type: "question" },
): boolean {
  return file.status === "pending" && total === file.uploaded_bytes;
}

async function receive(
  db: DatabaseAccess,
  deps: ReceiveDeps,
  file: FileRow,
  sending: Sending,
): Promise<FileRow> {
  const { sent, body } = sending;
  if (file.status !== "pending") throw errors.fileNotPending(sending.fileId, file.status);
  check(file, sent, deps.limit);
  if (sent.type === "question") return await finishFile(db, deps.blobs, file, file.uploaded_bytes);
  const start = sent.type === "whole" ? 0 : sent.start;
  const size = sent.type === "part" ? sent.total : null;
  let latest = file;
  const arrived = async (uploaded: number) => {
    const stored = await storeArrived(db.write, file.id, { uploaded, size });
    if (stored === null) throw errors.notFound("file", sending.fileId);
    latest = stored;
  };
  if (start !== file.uploaded_bytes) await arrived(start);
  try {
    await deps.blobs.growing(file.id).append(start, bounded(body, file, sent, deps.limit), arrived);
  } catch (error) {
    if (error instanceof ApiError) await arrived(start);
    throw body.errored === null ? error : errors.bodyCut();
  }
  const whole = sent.type === "whole" ? latest.uploaded_bytes : latest.size_bytes;
  return latest.uploaded_bytes === whole ? await finishFile(db, deps.blobs, latest, whole) : latest;
}

/** What can be refused before the body is read. */
function check(file: FileRow, sent: Sent, limit: number): void {
  const { size_bytes: announced, uploaded_bytes: expected } = file;
  const total = sent.type === "whole" ? sent.length : sent.total;
  if (total !== null && announced !== null && total !== announced) throw errors.otherSize(announced);
  if (sent.type === "whole" && (total ?? 0) > limit) throw errors.bodyTooLarge(limit);
  if (total !== null && total > limit) throw errors.contentTooLarge(limit, "content-range");
  if (sent.type !== "part") return;
  if (announced !== null && sent.end > announced) throw errors.otherSize(announced);
  if (sent.end > limit) throw errors.contentTooLarge(limit, "content-range");
  if (sent.start !== expected) throw errors.partMisplaced(expected);
}

/** The body, refused when it is larger than it says or may be, or smaller than it says. */
async function* bounded(
  body: IncomingMessage,
  { size_bytes: announced }: FileRow,
  sent: Sent & { type: "whole" | "part" },
  limit: number,
): AsyncGenerator<Buffer> {
  const length = sent.type === "part" ? sent.end - sent.start : announced;
  let size = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (length === null && size > limit) throw errors.bodyTooLarge(limit);
    if (length !== null && size > length) throw otherLength(sent, length);
    yield chunk;
  }
  if (length !== null && size !== length) throw otherLength(sent, length);
}

function otherLength(sent: Sent, length: number): ApiError {
  return sent.type === "part"
    ? errors.badContentRange(`The body must have ${length} bytes, as its 'content-range' says.`)
    : errors.otherSize(length);
}
