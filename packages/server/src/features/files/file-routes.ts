import { fileRoutes, formatId, newUuid, parseId } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { Database } from "../../db/pool.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountContent, mountUpload } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { ownerOf, type Principal, reaches } from "../../http/principal.ts";
import { type FileRow, fileAnswer, getFile, insertFile, listFiles } from "./file-store.ts";
import { readUpload } from "./read-upload.ts";

export function mountFiles(app: HttpApp, db: Database, blobs: BlobStore): void {
  mountUpload(app, fileRoutes.upload, async ({ principal }, request) => {
    const { filename, mimeType, metadata, content } = await readUpload(request, blobs, app.uploadLimit);
    await content.keep();
    const row = await insertFile(db.write, {
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
    });
    return fileAnswer(row);
  });
  mount(app, fileRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "file");
    const { scope_id: scope, "ids[]": ids } = input.query;
    const rows = await listFiles(db.read, context.principal, place, {
      scopeSessionId: scope === undefined ? null : parseId("session", scope),
      ids: ids === undefined ? null : ids.flatMap((id) => parseId("file", id) ?? []),
    });
    return pageAnswer(context, input, place, "file", rows, fileAnswer);
  });
  mount(app, fileRoutes.get, async ({ principal }, { params }) =>
    fileAnswer(await reachFile(db, principal, params.file_id)),
  );
  mountContent(app, fileRoutes.content, async ({ principal, header }, { params }) => {
    const row = await reachFile(db, principal, params.file_id);
    if (row.sha256 === null || row.status !== "ready") throw errors.fileNotReady(params.file_id);
    const etag = `"${row.sha256}"`;
    const held = header("if-none-match")
      ?.split(",")
      .some((tag) => tag.trim().replace(/^W\//, "") === etag);
    if (held === true) return { headers: { etag }, body: null };
    return { headers: { ...contentHeaders(row), etag }, body: blobs.read(row.sha256) };
  });
}

async function reachFile(db: Database, principal: Principal, fileId: string): Promise<FileRow> {
  const id = parseId("file", fileId);
  const row = id === null ? null : await getFile(db.read, id);
  if (row === null) throw errors.notFound("file", fileId);
  if (!reaches(principal, row)) throw errors.notYours("file", formatId("file", row.id));
  return row;
}

/** A browser saves the bytes, whatever they are, and runs none of them. */
function contentHeaders(row: FileRow): Record<string, string> {
  const plain = row.filename.replaceAll(/[^\x20-\x7e]|["\\]/g, "_");
  const encoded = encodeURIComponent(row.filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return {
    "content-type": row.mime_type,
    "content-length": String(row.size_bytes),
    "content-disposition": `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "private, no-cache",
  };
}
