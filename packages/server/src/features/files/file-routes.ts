import { fileRoutes, formatId, newFile, parseId } from "@berth/contract";
import type { FastifyRequest } from "fastify";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountContent } from "../../http/mount.ts";
import { type Form, mountBytes, mountUpload } from "../../http/mount-upload.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { cutOffWhenStalled } from "../../http/read-body.ts";
import { announceFile } from "./announce-file.ts";
import { contentAnswer } from "./content-answer.ts";
import { sentContent } from "./content-range.ts";
import { deleteFile } from "./delete-file.ts";
import { type FileRow, fileAnswer, listFiles } from "./file-store.ts";
import { reachFile } from "./reach-file.ts";
import { readUpload } from "./read-upload.ts";
import { receiveContent } from "./receive-content.ts";
import { removeUnused } from "./remove-unused.ts";
import { storeUpload } from "./store-upload.ts";

export function mountFiles(app: HttpApp, blobs: BlobStore): void {
  const { uploadLimit: limit } = app;
  const receiving = new Set<string>();
  mountUpload(app, fileRoutes.upload, takeUpload(blobs, limit), {
    schema: newFile,
    work: ({ principal, db }, body) => announceFile(db, principal, body, limit),
  });
  mountBytes(app, fileRoutes.putContent, async ({ principal, db, header }, { params }, body) => {
    const sending = { principal, fileId: params.file_id, sent: sentContent(header), body };
    const watching = cutOffWhenStalled(body);
    try {
      const row = await receiveContent(db, { blobs, limit, receiving }, sending);
      return { answer: fileAnswer(row), headers: rangeSoFar(row) };
    } finally {
      clearInterval(watching);
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
  mount(app, fileRoutes.delete, async ({ principal, db, afterwards }, { params }) => {
    const { id, sha256 } = await deleteFile(db, principal, params.file_id);
    afterwards(() => blobs.growing(id).remove());
    if (sha256 !== null) afterwards((then) => removeUnused(then, blobs, sha256));
    return { id: formatId("file", id), type: "file_deleted" as const };
  });
  mountContent(app, fileRoutes.content, async ({ principal, db, header }, { params }) =>
    contentAnswer(await reachFile(db, principal, params.file_id), blobs, header),
  );
}

function takeUpload(blobs: BlobStore, limit: number) {
  return async (request: FastifyRequest): Promise<Form> => {
    const upload = await readUpload(request, blobs, limit);
    const { filename, mimeType, metadata, content } = upload;
    return {
      content: [filename, mimeType, JSON.stringify(metadata), content.sha256],
      work: ({ principal, db }) => storeUpload(db, principal, upload),
      drop: content.discard,
    };
  };
}

function rangeSoFar({ status, size_bytes: size, uploaded_bytes: uploaded }: FileRow): Record<string, string> {
  const arrived = status === "ready" ? (size ?? 0) : uploaded;
  return arrived === 0 ? {} : { range: `bytes=0-${arrived - 1}` };
}
