import { memoryVersionRoutes, parseId } from "@berth/contract";
import { requireMemoryStore } from "@berth/store/memories";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import {
  listMemoryVersions,
  requireMemoryVersion,
  toMemoryVersion,
  toMemoryVersionWithContent,
} from "./memory-version-store.ts";
import { redactMemoryVersion } from "./redact-memory-version.ts";

export function mountMemoryVersions(app: HttpApp): void {
  mount(app, memoryVersionRoutes.list, async (request, input) => {
    const store = await requireMemoryStore(request.db.read, request.principal, input.params.memory_store_id);
    const { memory_id: memoryId, session_id: sessionId, operation = null } = input.query;
    return await listPage(request, input, "memory_version", toMemoryVersion, (range) =>
      listMemoryVersions(request.db.read, store.id, range, {
        memoryId: memoryId === undefined ? null : parseId("memory", memoryId),
        sessionId: sessionId === undefined ? null : parseId("session", sessionId),
        operation,
      }),
    );
  });
  mount(app, memoryVersionRoutes.get, async ({ principal, db }, { params }) => {
    const store = await requireMemoryStore(db.read, principal, params.memory_store_id);
    return toMemoryVersionWithContent(
      await requireMemoryVersion(db.read, store.id, params.memory_version_id),
    );
  });
  mount(app, memoryVersionRoutes.redact, async ({ principal, db }, input) =>
    toMemoryVersionWithContent(await redactMemoryVersion(db, principal, input)),
  );
}
