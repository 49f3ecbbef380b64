import { fileRoutes, formatId, newFile, parseId } from "@berth/contract";
import type { BlobStore } from "@berth/store/blobs";
import { removeUnusedContent } from "@berth/store/files";
import type { OwnerLimits } from "@berth/store/limits";
import type { FastifyRequest } from "fastify";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountContent } from "../../http/mount.ts";
import { type Form, mountBytes, mountUpload } from "../../http/mount-upload.ts";
import { disconnectWhenStalled } from "../../http/read-body.ts";
import { listPage } from "../../request/page.ts";
import { parseContentRange } from "./content-range.ts";
import { contentOf, contentResponse } from "./content-response.ts";
import { createPendingFile } from "./create-pending-file.ts";
import { deleteFile } from "./delete-file.ts";
import { type FileRow, listFiles, requireFile, toFile } from "./file-store.ts";
import { receiveContent } from "./receive-content.ts";
import { readUpload, storeUpload } from "./upload-file.ts";

export function mountFiles(app: HttpApp, blobs: BlobStore): void {
  const { uploadLimit: limit, limits } = app;
  mountUpload(app, fileRoutes.upload, (request) => readFileForm(request, { blobs, limit, limits }), {
    schema: newFile,
    handle: async ({ principal, db }, body) =>
      toFile(await createPendingFile(db, { principal, limits }, body, limit)),
  });
  mountBytes(app, fileRoutes.putContent, async ({ principal, db, header }, { params }, body, audit) => {
    const sending = { principal, fileId: params.file_id, range: parseContentRange(header), body, audit };
    const stallTimer = disconnectWhenStalled(body);
    try {
      const row = await receiveContent(db, { blobs, limit, limits }, sending);
      return { body: toFile(row), headers: receivedRange(row) };
    } finally {
      clearInterval(stallTimer);
    }
  });
  mount(app, fileRoutes.list, (request, input) => {
    const { scope_id: scope, "ids[]": ids } = input.query;
    return listPage(request, input, "file", toFile, (range) =>
      listFiles(request.db.read, request.principal, range, {
        scopeSessionId: scope === undefined ? null : parseId("session", scope),
        ids: ids === undefined ? null : ids.flatMap((id) => parseId("file", id) ?? []),
      }),
    );
  });
  mount(app, fileRoutes.get, async ({ principal, db }, { params }) =>
    toFile(await requireFile(db.read, principal, params.file_id)),
  );
  mount(app, fileRoutes.delete, async ({ principal, db, afterCommit }, { params }) => {
    const { id, sha256 } = await deleteFile(db, principal, params.file_id);
    afterCommit(() => blobs.partial(id).remove());
    if (sha256 !== null) afterCommit((committed) => removeUnusedContent(committed, blobs, sha256));
    return { id: formatId("file", id), type: "file_deleted" as const };
  });
  mountContent(app, fileRoutes.content, async ({ principal, db, header }, { params }) =>
    contentResponse(contentOf(await requireFile(db.read, principal, params.file_id), blobs), header),
  );
}

async function readFileForm(
  request: FastifyRequest,
  { blobs, limit, limits }: { blobs: BlobStore; limit: number; limits: OwnerLimits },
): Promise<Form> {
  const upload = await readUpload(request, blobs, limit);
  const { filename, mimeType, metadata, visibility, content } = upload;
  return {
    content: [filename, mimeType, JSON.stringify(metadata), visibility ?? "", content.sha256],
    handle: async ({ principal, db }) => toFile(await storeUpload(db, { principal, limits }, upload)),
    discard: content.discard,
  };
}

function receivedRange({
  status,
  size_bytes: size,
  uploaded_bytes: uploaded,
}: FileRow): Record<string, string> {
  const received = status === "ready" ? (size ?? 0) : uploaded;
  return received === 0 ? {} : { range: `bytes=0-${received - 1}` };
}
