import { formatId, parseId, sessionRoutes, uuidOrNil } from "@berth/contract";
import type { Context } from "../../http/context.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { JsonText } from "../../http/json-text.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageText } from "../../http/page.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import { type CreateSessionDeps, createSession } from "./create-session.ts";
import { archiveSession, cancelSession, deleteSession, terminateSession } from "./end-session.ts";
import { readSession } from "./reach-session.ts";
import { type SessionRow, sessionJson } from "./session-row.ts";
import { getSession, listSessions } from "./session-store.ts";
import { updateSession } from "./update-session.ts";

export interface SessionDeps extends CreateSessionDeps {
  /** Told after each commit that gives a worker something to do. */
  hub: Pick<SessionHub, "publish">;
}

export function mountSessions(app: HttpApp, deps: SessionDeps): void {
  const { hub } = deps;
  mount(app, sessionRoutes.create, async ({ principal, db, afterwards }, { body }) => {
    const { id, due } = await createSession(db, deps, principal, body);
    if (due) afterwards(() => hub.publish(id, due));
    return json(await getSession(db.read, id));
  });
  mount(app, sessionRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "session");
    const { agent_id: agentId, environment_id: environmentId, "statuses[]": statuses } = input.query;
    const { memory_store_id: storeId } = input.query;
    const rows = await listSessions(context.db.read, context.principal, place, {
      archived: input.query.include_archived,
      agentId: agentId === undefined ? null : parseId("agent", agentId),
      environmentId: environmentId === undefined ? null : parseId("environment", environmentId),
      memoryStoreId: storeId === undefined ? null : parseId("memory_store", storeId),
      statuses: statuses ?? null,
    });
    return pageText(context, input, place, "session", rows, sessionJson);
  });
  mount(app, sessionRoutes.get, (context, { params }) => answer(context, params.session_id));
  mount(app, sessionRoutes.update, async (context, input) => {
    const { session_id: sessionId } = input.params;
    if (await updateSession(context.db, context.principal, input))
      context.afterwards(() => tell(hub, sessionId, false));
    return await answer(context, sessionId);
  });
  mount(app, sessionRoutes.delete, async ({ principal, db, afterwards }, { params }) => {
    const id = await deleteSession(db, principal, params.session_id);
    afterwards(() => hub.publish(id, true));
    return { id: formatId("session", id), type: "session_deleted" as const };
  });
  mount(app, sessionRoutes.cancel, async (context, { params }) => {
    if (await cancelSession(context.db, context.principal, params.session_id))
      context.afterwards(() => tell(hub, params.session_id));
    return await answer(context, params.session_id);
  });
  mount(app, sessionRoutes.archive, async (context, { params }) => {
    await archiveSession(context.db, context.principal, params.session_id);
    context.afterwards(() => tell(hub, params.session_id));
    return await answer(context, params.session_id);
  });
  mount(app, sessionRoutes.terminate, async (context, { params }) => {
    await terminateSession(context.db, context.principal, params.session_id);
    context.afterwards(() => tell(hub, params.session_id));
    return await answer(context, params.session_id);
  });
}

async function answer({ principal, db }: Context, sessionId: string): Promise<JsonText> {
  return json(await readSession(db.read, principal, sessionId));
}

function json(row: SessionRow | null): JsonText {
  if (row === null) throw new Error("A session that was just written is not there.");
  return new JsonText(sessionJson(row));
}

function tell(hub: Pick<SessionHub, "publish">, sessionId: string, due = true): void {
  hub.publish(uuidOrNil("session", sessionId), due);
}
