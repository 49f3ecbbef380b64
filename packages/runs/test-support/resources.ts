import { Readable } from "node:stream";
import { formatId, newUuid } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import type { Queryable } from "@berth/store/db";

/** Adds a file to a session, by default at its default mount path. Returns the uuid of the resource. */
export async function insertFileResource(
  db: Queryable,
  blobs: BlobStore,
  sessionId: string,
  { content, mountPath }: { content: string; mountPath?: string },
): Promise<string> {
  const { sha256, size, keep } = await blobs.stage(Readable.from([Buffer.from(content)]));
  await keep();
  const [fileId, id] = [newUuid(), newUuid()];
  await db.query({
    text: `insert into files (id, organization_id, owner_type, owner_id, filename, mime_type, size_bytes, sha256, status)
      select $1, organization_id, 'organization', organization_id, 'a', 'text/plain', $2, $3, 'ready'
      from sessions where id = $4`,
    values: [fileId, size, sha256, sessionId],
  });
  await db.query({
    text: "insert into session_resources (id, session_id, type, file_id, mount_path) values ($1, $2, 'file', $3, $4)",
    values: [id, sessionId, fileId, mountPath ?? `/mnt/session/uploads/${formatId("file", fileId)}`],
  });
  return id;
}
