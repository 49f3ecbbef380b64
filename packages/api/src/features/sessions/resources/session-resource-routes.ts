import { sessionResourceRoutes, uuidOrNil } from "@berth/contract";
import type { SessionHub } from "@berth/store/notify";
import type { SecretBox } from "@berth/store/secrets";
import type { HttpApp } from "../../../http/http-app.ts";
import { mount } from "../../../http/mount.ts";
import { listPage } from "../../../request/page.ts";
import { requireSession } from "../state/session-state-store.ts";
import { addFileResource } from "./add-file-resource.ts";
import { deleteResource } from "./delete-resource.ts";
import { toSessionResource } from "./resource-row.ts";
import { listResources, requireResource } from "./resource-store.ts";
import { retryClone } from "./retry-clone.ts";
import { rotateToken } from "./rotate-token.ts";

export interface SessionResourceDeps {
  secrets: SecretBox;
  hub: Pick<SessionHub, "publish">;
}

export function mountSessionResources(app: HttpApp, { secrets, hub }: SessionResourceDeps): void {
  const publish = (sessionId: string) => hub.publish(uuidOrNil("session", sessionId), true);
  mount(app, sessionResourceRoutes.add, async ({ principal, db, afterCommit }, input) => {
    const resource = await addFileResource(db, principal, input);
    afterCommit(() => publish(input.params.session_id));
    return resource;
  });
  mount(app, sessionResourceRoutes.list, async (request, input) => {
    const session = await requireSession(request.db.read, request.principal, input.params.session_id);
    return await listPage(request, input, "session_resource", toSessionResource, (range) =>
      listResources(request.db.read, session.id, range),
    );
  });
  mount(app, sessionResourceRoutes.get, async ({ principal, db }, { params }) => {
    const session = await requireSession(db.read, principal, params.session_id);
    return toSessionResource(await requireResource(db.read, session.id, params.resource_id));
  });
  mount(app, sessionResourceRoutes.delete, async ({ principal, db, afterCommit }, input) => {
    const deleted = await deleteResource(db, principal, input);
    afterCommit(() => publish(input.params.session_id));
    return deleted;
  });
  mount(app, sessionResourceRoutes.rotate, async ({ principal, db, afterCommit }, input) => {
    const { params, body } = input;
    const resource = await ("retry" in body
      ? retryClone(db, principal, params)
      : rotateToken(db, secrets, principal, { params, body }));
    afterCommit(() => publish(input.params.session_id));
    return resource;
  });
}
