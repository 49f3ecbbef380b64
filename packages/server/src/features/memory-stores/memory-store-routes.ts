import { memoryStoreRoutes, newUuid } from "@berth/contract";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { ownerOf } from "../../http/principal.ts";
import {
  archiveMemoryStore,
  deleteMemoryStore,
  insertMemoryStore,
  listMemoryStores,
  memoryStoreAnswer,
} from "./memory-store-store.ts";
import { reachAndClaim, reachMemoryStore } from "./reach-memory-store.ts";
import { updateMemoryStore } from "./update-memory-store.ts";

export function mountMemoryStores(app: HttpApp): void {
  mount(app, memoryStoreRoutes.create, async ({ principal, db }, { body }) => {
    const store = await insertMemoryStore(db.write, {
      id: newUuid(),
      ...ownerOf(principal),
      name: body.name,
      description: body.description ?? null,
      metadata: body.metadata ?? {},
    });
    return memoryStoreAnswer(store);
  });
  mount(app, memoryStoreRoutes.list, async (context, input) => {
    const place = keysetPlace(context, input, "memory_store");
    const filters = { archived: input.query.include_archived };
    const rows = await listMemoryStores(context.db.read, context.principal, place, filters);
    return pageAnswer(context, input, place, "memory_store", rows, memoryStoreAnswer);
  });
  mount(app, memoryStoreRoutes.get, async ({ principal, db }, { params }) =>
    memoryStoreAnswer(await reachMemoryStore(db.read, principal, params.memory_store_id)),
  );
  mount(app, memoryStoreRoutes.update, async ({ principal, db }, input) =>
    memoryStoreAnswer(await updateMemoryStore(db, principal, input)),
  );
  mount(app, memoryStoreRoutes.delete, async ({ principal, db }, { params }) => {
    const { memory_store_id: storeId } = params;
    await db.transaction(async (tx) => {
      const { id } = await reachAndClaim(tx, principal, storeId);
      if (await deleteMemoryStore(tx, id)) return;
      throw errors.inUse("memory store", storeId, "sessions that are neither terminated nor archived");
    });
    return { id: storeId, type: "memory_store_deleted" as const };
  });
  mount(app, memoryStoreRoutes.archive, async ({ principal, db }, { params }) => {
    const { id } = await reachMemoryStore(db.read, principal, params.memory_store_id);
    await archiveMemoryStore(db.write, id);
    return memoryStoreAnswer(await reachMemoryStore(db.read, principal, params.memory_store_id));
  });
}
