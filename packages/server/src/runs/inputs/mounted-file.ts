import type { MountedFile } from "@berth/sandbox";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Queryable } from "../../db/statement.ts";
import type { RunFile } from "./resource-store.ts";

/** Where the content of a file resource lies and where it is to appear; else what there is none of. */
export async function mountedFile(
  parts: { db: { write: Queryable }; blobs: BlobStore },
  file: RunFile,
): Promise<MountedFile | "no resource" | "no content"> {
  const { rows } = await parts.db.write.query<{ sha256: string | null }>({
    name: "file_content",
    text: `
      select files.sha256 from session_resources
        left join files on files.id = session_resources.file_id and status = 'ready'
      where session_resources.id = $1`,
    values: [file.id],
  });
  const content = rows[0];
  if (content === undefined) return "no resource";
  if (content.sha256 === null) return "no content";
  return { source: parts.blobs.path(content.sha256), target: file.mountPath };
}
