import { memoryStoreRoutes, newUuid } from "@berth/contract";
import { ownedBy } from "@berth/store/access";
import {
  archiveMemoryStore,
  insertMemoryStore,
  listMemoryStores,
  requireMemoryStore,
  toMemoryStore,
} from "@berth/store/memories";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { listPage } from "../../request/page.ts";
import { deleteMemoryStore } from "./delete-memory-store.ts";
import { updateMemoryStore } from "./update-memory-store.ts";

export function mountMemoryStores(app: HttpApp): void {
  mount(app, memoryStoreRoutes.create, async ({ principal, db }, { body }) => {
    const store = await insertMemoryStore(db.write, {
      id: newUuid(),
      ...ownedBy(principal, body.visibility),
      name: body.name,
      description: body.description ?? null,
      metadata: body.metadata ?? {},
    });
    return toMemoryStore(store);
  });
  mount(app, memoryStoreRoutes.list, (request, input) =>
    listPage(request, input, "memory_store", toMemoryStore, (range) =>
      listMemoryStores(request.db.read, request.principal, range, input.query),
    ),
  );
  mount(app, memoryStoreRoutes.get, async ({ principal, db }, { params }) =>
    toMemoryStore(await requireMemoryStore(db.read, principal, params.memory_store_id)),
  );
  mount(app, memoryStoreRoutes.update, async ({ principal, db }, input) =>
    toMemoryStore(await updateMemoryStore(db, principal, input)),
  );
  mount(app, memoryStoreRoutes.delete, async ({ principal, db }, { params }) => {
    await deleteMemoryStore(db, principal, params.memory_store_id);
    return { id: params.memory_store_id, type: "memory_store_deleted" as const };
  });
  mount(app, memoryStoreRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await requireMemoryStore(db.read, principal, params.memory_store_id);
    await archiveMemoryStore(db.write, id);
    return toMemoryStore(await requireMemoryStore(db.read, principal, params.memory_store_id));
  });
}
