import type { MountedFile } from "@berth/sandbox";
import type { BlobStore } from "../blobs/disk-blobs.ts";
import type { Queryable } from "../db/statement.ts";
import type { RunFile } from "./resource-store.ts";

/** Where the content of a file resource lies and where it is to appear; null when there is no content. */
export async function mountedFile(
  parts: { db: { write: Queryable }; blobs: BlobStore },
  file: RunFile,
): Promise<MountedFile | null> {
  const { rows } = await parts.db.write.query<{ sha256: string }>({
    name: "file_content",
    text: "select sha256 from files where id = $1 and status = 'ready' and sha256 is not null",
    values: [file.fileId],
  });
  const content = rows[0];
  return content === undefined ? null : { source: parts.blobs.path(content.sha256), target: file.mountPath };
}
