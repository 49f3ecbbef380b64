import { parseId } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import type { Queryable } from "@berth/store/db";

/** Reads a file that a message refers to. Returns null when the file or its content was deleted. */
export async function readMessageFile(
  parts: { db: { read: Queryable }; blobs: BlobStore },
  fileId: string,
): Promise<Uint8Array | null> {
  const { rows } = await parts.db.read.query<{ sha256: string }>({
    name: "message_file_content",
    text: "select sha256 from files where id = $1 and status = 'ready' and sha256 is not null",
    values: [parseId("file", fileId)],
  });
  if (rows[0] === undefined) return null;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of parts.blobs.read(rows[0].sha256)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
