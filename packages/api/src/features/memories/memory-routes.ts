import { memoryRoutes } from "@berth/contract";
import {
  listMemories,
  requireMemory,
  requireMemoryStore,
  toMemory,
  toMemoryWithContent,
} from "@berth/store/memories";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { createMemory, deleteMemory, updateMemory } from "./change-memory.ts";

export function mountMemories(app: HttpApp): void {
  mount(app, memoryRoutes.create, async ({ principal, db }, input) =>
    toMemoryWithContent(await createMemory(db, principal, input)),
  );
  mount(app, memoryRoutes.list, async (request, input) => {
    const store = await requireMemoryStore(request.db.read, request.principal, input.params.memory_store_id);
    return await listPage(request, input, "memory", toMemory, (range) =>
      listMemories(request.db.read, store.id, range, input.query.path_prefix ?? null),
    );
  });
  mount(app, memoryRoutes.get, async ({ principal, db }, { params }) => {
    const store = await requireMemoryStore(db.read, principal, params.memory_store_id);
    return toMemoryWithContent(await requireMemory(db.read, store.id, params.memory_id));
  });
  mount(app, memoryRoutes.update, async ({ principal, db }, input) =>
    toMemoryWithContent(await updateMemory(db, principal, input)),
  );
  mount(app, memoryRoutes.delete, async ({ principal, db }, input) => {
    await deleteMemory(db, principal, input);
    return { id: input.params.memory_id, type: "memory_deleted" as const };
  });
}
