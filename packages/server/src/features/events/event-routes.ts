import { eventRoutes } from "@berth/contract";
import type { BlobStore } from "../../blobs/disk-blobs.ts";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount, mountStream } from "../../http/mount.ts";
import { keysetPlace, pageText } from "../../http/page.ts";
import { openSse } from "../../http/sse.ts";
import type { TokenWatch } from "../../http/token-watch.ts";
import type { SessionHub } from "../../notify/session-hub.ts";
import { reachSession } from "../sessions/reach-session.ts";
import { startsWork } from "./append-by-client.ts";
import { eventJson, sessionEvent } from "./event-row.ts";
import { logEnd } from "./event-store.ts";
import { followEvents } from "./follow-events.ts";
import { listEvents } from "./list-events.ts";
import { createPreviewFeed } from "./preview-feed.ts";
import { sendEvents } from "./send-events.ts";
import { createSharedReader } from "./shared-reader.ts";
import { streamStart } from "./stream-start.ts";

export interface EventDependencies {
  db: DatabaseAccess;
  hub: SessionHub;
  tokens: TokenWatch;
  blobs: BlobStore;
}

export function mountEvents(app: HttpApp, { db, hub, tokens, blobs }: EventDependencies): void {
  const read = createSharedReader(db.read);

  mount(app, eventRoutes.send, async ({ principal, db, afterwards }, { params, body }) => {
    const { id, rows } = await sendEvents(db, blobs, principal, params.session_id, body.events);
    afterwards(() => hub.publish(id, startsWork(body.events)));
    return { data: rows.map(sessionEvent) };
  });

  mount(app, eventRoutes.list, async (context, input) => {
    const { id } = await reachSession(context.db.read, context.principal, input.params.session_id);
    const place = keysetPlace(context, input, "event");
    const rows = await listEvents(
      context.db.read,
      id,
      place,
      input.query.order,
      input.query["types[]"] ?? null,
    );
    return pageText(context, input, place, "event", rows, eventJson);
  });

  mountStream(app, eventRoutes.stream, async (context, { params, query }) => {
    const { id, terminated } = await reachSession(context.db.read, context.principal, params.session_id);
    const afterSeq = await streamStart(context.db.read, id, query, context.header("last-event-id"));
    return async (response) => {
      const sse = openSse(response);
      const unwatch = tokens.watch(context.principal.tokenId, sse.end);
      const deltas = query["event_deltas[]"] ?? [];
      const previews = deltas.length > 0 ? createPreviewFeed(deltas) : null;
      const options = { sessionId: id, afterSeq, terminated, hub, read, sse, previews };
      await followEvents({ ...options, logEnd: (id) => logEnd(context.db.read, id) }).finally(unwatch);
    };
  });
}
