import { fileRoutes, formatId, newUuid, parseId } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountContent, mountUpload } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { ownerOf, type Principal, reaches } from "../../http/principal.ts";
import { contentAnswer } from "./content-answer.ts";
import { deleteFile } from "./delete-file.ts";
import { type FileRow, fileAnswer, getFile, insertFile, listFiles, type NewFile } from "./file-store.ts";
import { lockContent } from "./lock-content.ts";
import { readUpload } from "./read-upload.ts";

export function mountFiles(app: HttpApp, blobs: BlobStore): void {
  mountUpload(app, fileRoutes.upload, async ({ principal, db }, request) => {
    const { filename, mimeType, metadata, content } = await readUpload(request, blobs, app.uploadLimit);
    const file: NewFile = {
      id: newUuid(),
      ...ownerOf(principal),
      filename,
      mime_type: mimeType,
      size_bytes: content.size,
      sha256: content.sha256,
      status: "ready",
      downloadable: true,
      scope_session_id: null,
      metadata,
    };
    try {
      const row = await db.transaction(async (tx) => {
        await lockContent(tx, content.sha256);
        await content.keep();
        return await insertFile(tx, file);
      });
      return fileAnswer(row);
    } catch (error) {
      await content.discard();
      throw error;
    }
  });
  mount(app, fileRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "file");
    const { scope_id: scope, "ids[]": ids } = input.query;
    const rows = await listFiles(context.db.read, context.principal, place, {
      scopeSessionId: scope === undefined ? null : parseId("session", scope),
      ids: ids === undefined ? null : ids.flatMap((id) => parseId("file", id) ?? []),
    });
    return pageAnswer(context, input, place, "file", rows, fileAnswer);
  });
  mount(app, fileRoutes.get, async ({ principal, db }, { params }) =>
    fileAnswer(await reachFile(db, principal, params.file_id)),
  );
  mount(app, fileRoutes.delete, async ({ principal, db }, { params }) => {
    const id = await deleteFile(db, blobs, principal, params.file_id);
    return { id: formatId("file", id), type: "file_deleted" as const };
  });
  mountContent(app, fileRoutes.content, async ({ principal, db, header }, { params }) =>
    contentAnswer(await reachFile(db, principal, params.file_id), blobs, header),
  );
}

async function reachFile(db: DatabaseAccess, principal: Principal, fileId: string): Promise<FileRow> {
  const id = parseId("file", fileId);
  const row = id === null ? null : await getFile(db.read, id);
  if (row === null) throw errors.notFound("file", fileId);
  if (!reaches(principal, row)) throw errors.notYours("file", formatId("file", row.id));
  return row;
}
