import { parseId, sessionResourceRoutes, uuidOrNil } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import type { SecretBox } from "../../secrets/secret-box.ts";
import { reachSession } from "../sessions/reach-session.ts";
import { addFileResource } from "./add-file-resource.ts";
import { deleteResource } from "./delete-resource.ts";
import { resourceAnswer } from "./resource-row.ts";
import { getResource, listResources } from "./resource-store.ts";
import { rotateToken } from "./rotate-token.ts";

export interface SessionResourceDeps {
  secrets: SecretBox;
  hub: Pick<SessionHub, "publish">;
}

export function mountSessionResources(app: HttpApp, { secrets, hub }: SessionResourceDeps): void {
  const tell = (sessionId: string) => hub.publish(uuidOrNil("session", sessionId), true);
  mount(app, sessionResourceRoutes.add, async ({ principal, db, afterwards }, input) => {
    const resource = await addFileResource(db, principal, input);
    afterwards(() => tell(input.params.session_id));
    return resource;
  });
  mount(app, sessionResourceRoutes.list, async (context, input) => {
    const session = await reachSession(context.db.read, context.principal, input.params.session_id);
    const place = keysetPlace(context, input, "session_resource");
    const rows = await listResources(context.db.read, session.id, place);
    return pageAnswer(context, input, place, "session_resource", rows, resourceAnswer);
  });
  mount(app, sessionResourceRoutes.get, async ({ principal, db }, { params }) => {
    const session = await reachSession(db.read, principal, params.session_id);
    const id = parseId("session_resource", params.resource_id);
    const row = id === null ? null : await getResource(db.read, session.id, id);
    if (row === null) throw errors.notFound("resource", params.resource_id);
    return resourceAnswer(row);
  });
  mount(app, sessionResourceRoutes.delete, async ({ principal, db, afterwards }, input) => {
    const deleted = await deleteResource(db, principal, input);
    afterwards(() => tell(input.params.session_id));
    return deleted;
  });
  mount(app, sessionResourceRoutes.rotate, async ({ principal, db, afterwards }, input) => {
    const resource = await rotateToken(db, secrets, principal, input);
    afterwards(() => tell(input.params.session_id));
    return resource;
  });
}
