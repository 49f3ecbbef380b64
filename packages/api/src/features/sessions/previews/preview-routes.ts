import { formatId, type Preview, previewRoutes, uuidTimestamp } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { SessionHub } from "@berth/store/notify";
import type { HttpApp } from "../../../http/http-app.ts";
import { mount } from "../../../http/mount.ts";
import { listPage } from "../../../request/page.ts";
import type { PreviewAddresses } from "../../previews/preview-addresses.ts";
import { requireSession } from "../state/session-state-store.ts";
import { createPreview } from "./create-preview.ts";
import { deletePreview, listPreviews, type PreviewRow, requirePreview } from "./preview-store.ts";

export interface PreviewDeps {
  addresses: PreviewAddresses;
  /** Maximum seconds until a preview expires. */
  maxSeconds: number;
  hub: Pick<SessionHub, "publish">;
}

/** Mounts the routes for previews of a session's ports. What their addresses serve is in `features/previews`. */
export function mountPreviews(app: HttpApp, { addresses, maxSeconds, hub }: PreviewDeps): void {
  const shown =
    (base: string | null) =>
    (row: PreviewRow): Preview => ({
      id: formatId("preview", row.id),
      type: "preview",
      session_id: formatId("session", row.session_id),
      port: row.port,
      url: addresses.urlOf(row, base),
      created_by: row.created_by,
      created_at: uuidTimestamp(row.id),
      expires_at: row.expires_at.toISOString(),
    });
  mount(app, previewRoutes.create, async ({ principal, db, address }, input) => {
    const base = address();
    if (addresses.originOf({ label: "" }, base) === null) throw errors.noPreviewAddresses();
    return shown(base)(await createPreview(db, principal, input, maxSeconds));
  });
  mount(app, previewRoutes.list, async (request, input) => {
    const session = await requireSession(request.db.read, request.principal, input.params.session_id);
    return await listPage(request, input, "preview", shown(request.address()), (range) =>
      listPreviews(request.db.read, session.id, range),
    );
  });
  mount(app, previewRoutes.get, async ({ principal, db, address }, { params }) => {
    const session = await requireSession(db.read, principal, params.session_id);
    return shown(address())(await requirePreview(db.read, session.id, params.preview_id));
  });
  mount(app, previewRoutes.delete, async ({ principal, db, afterCommit }, { params }) => {
    const session = await requireSession(db.read, principal, params.session_id);
    const row = await requirePreview(db.read, session.id, params.preview_id);
    await deletePreview(db.write, row.id);
    afterCommit(() => hub.publish(session.id));
    return { id: formatId("preview", row.id), type: "preview_deleted" as const };
  });
}
