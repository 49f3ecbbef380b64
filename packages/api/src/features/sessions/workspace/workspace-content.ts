import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { formatId } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { mimeTypeOf } from "@berth/store/files";
import { MAX_PART_BYTES } from "@berth/store/session-log";
import { type ByteRange, type Content, contentResponse } from "../../files/content-response.ts";
import { throwFailure } from "./throw-failure.ts";
import type { WorkspaceReads } from "./workspace-reads.ts";

/** Bytes of the first read, which completes small files and brings type, size and stamp of others. */
const FIRST_BYTES = 64 * 1024;

/** Error when the file was changed, or could not be read, while its content was being sent. */
class ContentCut extends Error {}

/** A file of a session's disk. */
interface WorkspaceFile {
  reads: WorkspaceReads;
  /** Uuid. */
  sessionId: string;
  path: string;
}

/**
 * Returns a file of a session's disk as a response with ranges. The parts are read one after another, all of
 * one state of the file: when it changes, the response is cut.
 *
 * @param limit maximum bytes of one response.
 */
export async function workspaceContent(
  file: WorkspaceFile,
  limit: number,
  header: (name: string) => string | undefined,
): Promise<ReturnType<typeof contentResponse>> {
  const { path } = file;
  const { size, stamp, bytes } = await readPart(file, 0, FIRST_BYTES);
  const filename = path.slice(path.lastIndexOf("/") + 1);
  const content: Content = {
    filename,
    mimeType: mimeTypeOf(filename, bytes),
    size,
    etag: `"${createHash("sha256").update(stamp).digest("hex").slice(0, 32)}"`,
    read: (range = { start: 0, end: size - 1 }) => {
      if (range.end - range.start >= limit) throw errors.rangeTooLarge(size, limit);
      return Readable.from(parts(file, { stamp, first: bytes }, range));
    },
  };
  return contentResponse(content, header);
}

async function* parts(
  file: WorkspaceFile,
  { stamp, first }: { stamp: string; first: Buffer },
  { start, end }: ByteRange,
): AsyncGenerator<Buffer> {
  let at = start;
  if (at < first.length) {
    const known = first.subarray(at, end + 1);
    at += known.length;
    if (known.length > 0) yield known;
  }
  while (at <= end) {
    const part = await readPart(file, at, Math.min(MAX_PART_BYTES, end + 1 - at));
    if (part.stamp !== stamp || part.bytes.length === 0) throw new ContentCut("The file was changed.");
    at += part.bytes.length;
    yield part.bytes;
  }
}

async function readPart(
  { reads, sessionId, path }: WorkspaceFile,
  from: number,
  count: number,
): Promise<{ size: number; stamp: string; bytes: Buffer }> {
  const { answer, content } = await reads.ask<"part">(sessionId, { kind: "part", path, from, count });
  if (!answer.ok) throwFailure(formatId("session", sessionId), answer.reason, path);
  return { ...answer.found, bytes: content ?? Buffer.alloc(0) };
}
