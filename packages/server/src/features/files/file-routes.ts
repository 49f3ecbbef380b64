import { fileRoutes, formatId, parseId } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountContent, mountUpload } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { type Principal, reaches } from "../../http/principal.ts";
import { contentAnswer } from "./content-answer.ts";
import { deleteFile, removeUnused } from "./delete-file.ts";
import { type FileRow, fileAnswer, getFile, listFiles } from "./file-store.ts";
import { readUpload } from "./read-upload.ts";
import { storeUpload } from "./store-upload.ts";

export function mountFiles(app: HttpApp, blobs: BlobStore): void {
  mountUpload(app, fileRoutes.upload, async (request) => {
    const upload = await readUpload(request, blobs, app.uploadLimit);
    const { filename, mimeType, metadata, content } = upload;
    return {
      content: [filename, mimeType, JSON.stringify(metadata), content.sha256],
      work: ({ principal, db }) => storeUpload(db, principal, upload),
      drop: content.discard,
    };
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
  mount(app, fileRoutes.delete, async ({ principal, db, afterwards }, { params }) => {
    const { id, sha256 } = await deleteFile(db, principal, params.file_id);
    if (sha256 !== null) afterwards((then) => removeUnused(then, blobs, sha256));
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
