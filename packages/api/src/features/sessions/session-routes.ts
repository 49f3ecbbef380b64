import { formatId, type Input, parseId, sessionRoutes, threadsOperation, uuidOrNil } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { SessionHub } from "@berth/store/notify";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountSelfAudited } from "../../http/mount.ts";
import { activatedFeatures } from "../../http/read-input.ts";
import { serveRoute } from "../../http/serve-route.ts";
import { listPageJson, onwardPageJson, openCursor } from "../../request/page.ts";
import type { RequestScope } from "../../request/request-scope.ts";
import { JsonText } from "../../request/response-body.ts";
import { type CreateSessionDeps, createSession } from "./create-session.ts";
import {
  archiveSession,
  cancelSession,
  deleteSession,
  releaseSession,
  terminateSession,
} from "./end-session.ts";
import { askedWords } from "./search/words.ts";
import { markSeen, markUnseen } from "./seen/mark-seen.ts";
import {
  type ActivityPosition,
  listSessions,
  listSessionsByActivity,
  type SessionFilters,
} from "./session-list-store.ts";
import { type SessionRow, sessionJson } from "./session-row.ts";
import { readSession } from "./session-store.ts";
import { updateSession } from "./update-session.ts";

export interface SessionDeps extends CreateSessionDeps {
  /** Hub that is notified after each commit that changes a session. */
  hub: Pick<SessionHub, "publish">;
}

export function mountSessions(app: HttpApp, deps: SessionDeps): void {
  const { hub, models } = deps;
  const textFor =
    ({ principal }: RequestScope) =>
    (row: SessionRow) =>
      sessionJson(row, models, principal);
  const readResponse = async (request: RequestScope, sessionId: string) =>
    new JsonText(textFor(request)(await readSession(request.db.read, request.principal, sessionId)));
  const publish = (sessionId: string, due = true) => hub.publish(uuidOrNil("session", sessionId), due);
  mountSelfAudited(app, sessionRoutes.create, async (request, { body }) => {
    const { row, due } = await createSession(request, deps, body);
    if (due) request.afterCommit(() => hub.publish(row.id, due));
    return new JsonText(textFor(request)(row));
  });
  mount(app, sessionRoutes.list, async (request, input) => {
    const { db, principal } = request;
    const filters = filtersOf(input.query);
    const textOf = textFor(request);
    if (input.query.sort === "updated_at") return await listByActivity(request, input, filters, textOf);
    return await listPageJson(request, input, "session", textOf, (range) =>
      listSessions(db.read, principal, range, filters),
    );
  });
  mount(app, sessionRoutes.get, (request, { params }) => readResponse(request, params.session_id));
  mount(app, sessionRoutes.update, async (request, input) => {
    const { session_id: sessionId } = input.params;
    if (await updateSession(request.db, models, request.principal, input))
      request.afterCommit(() => publish(sessionId, input.body.budget !== undefined));
    return await readResponse(request, sessionId);
  });
  mount(app, sessionRoutes.delete, async ({ principal, db, afterCommit }, { params }) => {
    const id = await deleteSession(db, principal, params.session_id);
    afterCommit(() => hub.publish(id, true));
    return { id: formatId("session", id), type: "session_deleted" as const };
  });
  mount(app, sessionRoutes.cancel, async (request, { params }) => {
    if (await cancelSession(request.db, request.principal, params.session_id))
      request.afterCommit(() => publish(params.session_id));
    return await readResponse(request, params.session_id);
  });
  mount(app, sessionRoutes.archive, async (request, { params }) => {
    await archiveSession(request.db, request.principal, params.session_id);
    request.afterCommit(() => publish(params.session_id));
    return await readResponse(request, params.session_id);
  });
  mount(app, sessionRoutes.release, async (request, { params }) => {
    if (await releaseSession(request.db, request.principal, params.session_id))
      request.afterCommit(() => publish(params.session_id));
    return await readResponse(request, params.session_id);
  });
  mount(app, sessionRoutes.terminate, async (request, { params }) => {
    await terminateSession(request.db, request.principal, params.session_id);
    request.afterCommit(() => publish(params.session_id));
    return await readResponse(request, params.session_id);
  });
  mount(app, sessionRoutes.markSeen, async (request, { params }) => {
    await markSeen(request.db, request.principal, params.session_id);
    return await readResponse(request, params.session_id);
  });
  mount(app, sessionRoutes.markUnseen, async (request, { params }) => {
    await markUnseen(request.db, request.principal, params.session_id);
    return await readResponse(request, params.session_id);
  });
  mountThreadsPath(app);
}

/** Mounts the path of threads, which this version lacks, with an error of its own. */
function mountThreadsPath(app: HttpApp): void {
  serveRoute(app, { operation: threadsOperation }, async (incoming) => {
    if (!activatedFeatures(incoming).has("threads")) throw errors.featureNotAvailable("threads");
    throw errors.invalid("Threads are not available in this version of Berth.");
  });
}

type ListInput = Input<typeof sessionRoutes.list>;

function filtersOf(query: ListInput["query"]): SessionFilters {
  const { agent_id: agentId, environment_id: environmentId, memory_store_id: storeId } = query;
  const {
    deployment_id: deploymentId,
    owner_id: ownerId,
    title = null,
    requires_action: requiresAction,
  } = query;
  const { include_archived, shared_with_me } = query;
  return {
    include_archived,
    shared_with_me,
    agentId: agentId === undefined ? null : parseId("agent", agentId),
    environmentId: environmentId === undefined ? null : parseId("environment", environmentId),
    deploymentId: deploymentId === undefined ? null : parseId("deployment", deploymentId),
    memoryStoreId: storeId === undefined ? null : parseId("memory_store", storeId),
    ownerId: ownerId === undefined ? null : (parseId("user", ownerId) ?? parseId("organization", ownerId)),
    statuses: query["statuses[]"] ?? null,
    outcomes: query["outcomes[]"] ?? null,
    title,
    words: query.search === undefined ? null : askedWords(query.search),
    requiresAction,
    repositoryFailed: query.repository_failed,
    setAside: query.set_aside,
    mine: query.mine,
    unseen: query.unseen,
  };
}

async function listByActivity(
  request: RequestScope,
  input: ListInput,
  filters: SessionFilters,
  textOf: (row: SessionRow) => string,
): Promise<JsonText> {
  const { limit, "updated_at[gte]": from = null, "updated_at[lt]": until = null } = input.query;
  const cursor = openCursor(request, input);
  const rows = await listSessionsByActivity(
    request.db.read,
    request.principal,
    { rows: limit + 1, after: cursor && activityPosition(cursor.position), from, until },
    filters,
  );
  return onwardPageJson(request, input, "session", textOf, rows, ({ active_at, id }) => `${id} ${active_at}`);
}

function activityPosition(position: string): ActivityPosition {
  const [id = "", ...at] = position.split(" ");
  return { id, at: at.join(" ") };
}
