import type { Readable } from "node:stream";
import { formatId } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import { errors } from "@berth/store/errors";
import type { ContentHandler } from "../../http/mount.ts";
import type { FileRow } from "./file-store.ts";

type ContentResponse = Awaited<ReturnType<ContentHandler<never>>>;

/** Offsets in bytes, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Bytes that a client can save. */
export interface Content {
  filename: string;
  mimeType: string;
  size: number;
  /** Entity tag with its quotes; it changes whenever the bytes do. */
  etag: string;
  /** Reads the bytes, or those of a range. */
  read(range?: ByteRange): Readable;
}

/** Returns the content of a file. @throws errors.fileNotReady */
export function contentOf(row: FileRow, blobs: BlobStore): Content {
  const { sha256, size_bytes: size, status, filename, mime_type: mimeType } = row;
  if (sha256 === null || size === null || status !== "ready") {
    throw errors.fileNotReady(formatId("file", row.id));
  }
  return { filename, mimeType, size, etag: `"${sha256}"`, read: (range) => blobs.read(sha256, range) };
}

/**
 * Returns the response with a content, or with the one range that the request asks for; 304 when the client
 * has it already. A request for several ranges, or for one that cannot be served, gets the whole content.
 */
export function contentResponse(
  content: Content,
  header: (name: string) => string | undefined,
): ContentResponse {
  const { size, etag } = content;
  const held = header("if-none-match")
    ?.split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""));
  if (held?.includes(etag)) return { status: 304, headers: { etag } };
  const headers = { ...contentHeaders(content), etag };
  const range = (header("if-range") ?? etag) === etag ? rangeOf(header("range"), size) : null;
  if (range === null) return { status: 200, headers, body: content.read() };
  return {
    status: 206,
    headers: {
      ...headers,
      "content-length": String(range.end - range.start + 1),
      "content-range": `bytes ${range.start}-${range.end}/${size}`,
    },
    body: content.read(range),
  };
}

/** Parses `bytes=a-b`, `bytes=a-` or `bytes=-n`, limited to the end of the content. */
function rangeOf(text: string | undefined, size: number): ByteRange | null {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) return null;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start <= end ? { start, end } : null;
}

/** Returns headers that make a browser save the bytes and never execute them, whatever they are. */
function contentHeaders({ filename, mimeType, size }: Content): Record<string, string> {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\]/g, "_");
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return {
    "content-type": mimeType,
    "content-length": String(size),
    "content-disposition": `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cache-control": "private, no-cache",
  };
}
