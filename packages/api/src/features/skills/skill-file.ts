import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { formatId } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import { errors } from "@berth/store/errors";
import { mimeTypeOf } from "@berth/store/files";
import type { Content } from "../files/content-response.ts";
import type { SkillVersionRow } from "./skill-version-store.ts";

/** Bytes from the start of a file that show its type. */
const HEAD_BYTES = 4_096;

/** Returns a file of a skill version. @throws errors.skillFileNotFound */
export async function skillFile(row: SkillVersionRow, path: string, blobs: BlobStore): Promise<Content> {
  const file = row.files.find((one) => one.path === path);
  if (file === undefined) throw errors.skillFileNotFound(formatId("skill", row.skill_id), row.version, path);
  const { offset, size_bytes: size } = file;
  const read = ({ start, end } = { start: 0, end: size - 1 }) =>
    end < start ? Readable.from([]) : blobs.read(row.sha256, { start: offset + start, end: offset + end });
  const filename = path.slice(path.lastIndexOf("/") + 1);
  const head = await bytesOf(read({ start: 0, end: Math.min(size, HEAD_BYTES) - 1 }));
  // A version and its files never change.
  const stamp = createHash("sha256").update(`${row.sha256} ${offset} ${size}`).digest("hex");
  return { filename, mimeType: mimeTypeOf(filename, head), size, etag: `"${stamp.slice(0, 32)}"`, read };
}

async function bytesOf(source: Readable): Promise<Buffer> {
  return Buffer.concat(await source.toArray());
}
