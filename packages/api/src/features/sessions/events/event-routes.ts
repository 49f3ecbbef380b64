import { eventRoutes, parseId } from "@berth/contract";
import type { TokenWatch } from "@berth/store/access";
import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { OwnerLimits } from "@berth/store/limits";
import type { SessionHub } from "@berth/store/notify";
import {
  eventJson,
  listEvents,
  logEnd,
  requestAt,
  seqOfEvent,
  sessionEvent,
  startsWork,
} from "@berth/store/session-log";
import type { HttpApp } from "../../../http/http-app.ts";
import { mount, mountSelfAudited, mountStream } from "../../../http/mount.ts";
import { noteEnd } from "../../../http/response-end.ts";
import { openSse } from "../../../http/sse.ts";
import { createdBounds, listPageJson } from "../../../request/page.ts";
import { requireSession } from "../state/session-state-store.ts";
import { followEvents } from "./follow-events.ts";
import { PreviewFeed } from "./preview-feed.ts";
import { sendEvents } from "./send-events.ts";
import { createSharedReader } from "./shared-reader.ts";

export interface EventDeps {
  db: DatabaseAccess;
  hub: SessionHub;
  tokens: TokenWatch;
  blobs: BlobStore;
  limits: OwnerLimits;
}

export function mountEvents(app: HttpApp, { db, hub, tokens, blobs, limits }: EventDeps): void {
  const read = createSharedReader(db.read);

  mountSelfAudited(app, eventRoutes.send, async (request, { params, body }) => {
    const { id, rows } = await sendEvents({ blobs, limits }, request, params.session_id, body.events);
    request.afterCommit(() => hub.publish(id, startsWork(body.events)));
    return { data: rows.map(sessionEvent) };
  });

  mount(app, eventRoutes.list, async (request, input) => {
    const { id } = await requireSession(request.db.read, request.principal, input.params.session_id);
    const { order, "types[]": types = null } = input.query;
    return await listPageJson(request, input, "event", eventJson, (range) =>
      listEvents(request.db.read, id, range, { order, types, ...createdBounds(input.query) }),
    );
  });

  mountStream(app, eventRoutes.stream, async (request, { params, query }) => {
    const { id, terminated } = await requireSession(request.db.read, request.principal, params.session_id);
    const afterSeq = await streamStart(request.db.read, id, query, request.header("last-event-id"));
    const deltas = query["event_deltas[]"] ?? [];
    const before = deltas.length > 0 ? await requestAt(request.db.read, id, afterSeq) : undefined;
    return async (response) => {
      const sse = openSse(response);
      const unwatch = tokens.watch({ tokenId: request.principal.tokenId, sessionId: id }, () => {
        noteEnd(response, "token_invalid");
        sse.end();
      });
      const previews = before === undefined ? null : new PreviewFeed(deltas, before);
      const options = { sessionId: id, afterSeq, terminated, hub, read, sse, previews };
      await followEvents(options).finally(unwatch);
    };
  });
}

/**
 * Returns the seq after which a stream begins: that of the event in the header `Last-Event-ID`, else in
 * `after_id`, else the start or end of the log. An empty header counts as absent, as in browsers.
 *
 * @throws errors.invalid for an id that is not one of this session's events.
 */
async function streamStart(
  db: Queryable,
  sessionId: string,
  query: { from?: "start" | undefined; after_id?: string | undefined },
  lastEventId: string | undefined,
): Promise<number> {
  if (lastEventId !== undefined && lastEventId !== "") {
    return await requireSeq(db, sessionId, lastEventId, "Last-Event-ID");
  }
  if (query.after_id !== undefined) return await requireSeq(db, sessionId, query.after_id, "after_id");
  return query.from === "start" ? 0 : (await logEnd(db, sessionId)).lastSeq;
}

async function requireSeq(db: Queryable, sessionId: string, id: string, param: string): Promise<number> {
  const uuid = parseId("event", id);
  const seq = uuid === null ? null : await seqOfEvent(db, sessionId, uuid);
  if (seq === null) throw errors.invalid(`'${param}' must be the id of an event of this session.`, param);
  return seq;
}
