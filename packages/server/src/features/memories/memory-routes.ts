import { type Input, memoryRoutes, parseId } from "@berth/contract";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import type { Principal } from "../../http/principal.ts";
import { reachMemoryStore, reachToWrite } from "../memory-stores/reach-memory-store.ts";
import { apiActor, createMemory, modifyMemory, type PathRefusal, removeMemory } from "./change-memory.ts";
import {
  getMemory,
  listMemories,
  type MemoryRow,
  memoryAnswer,
  type WholeMemory,
  wholeMemoryAnswer,
} from "./memory-row.ts";

export function mountMemories(app: HttpApp): void {
  mount(app, memoryRoutes.create, async ({ principal, db }, { params, body }) => {
    const row = await db.transaction(async (tx) => {
      const store = await reachToWrite(tx, principal, params.memory_store_id);
      return unlessRefused(body.path, await createMemory(tx, store.id, apiActor(principal), body));
    });
    return wholeMemoryAnswer({ ...row, content: body.content });
  });
  mount(app, memoryRoutes.list, async (context, input) => {
    const store = await reachMemoryStore(context.db.read, context.principal, input.params.memory_store_id);
    const place = keysetPlace(context, input, "memory");
    const rows = await listMemories(context.db.read, store.id, place, input.query.path_prefix ?? null);
    return pageAnswer(context, input, place, "memory", rows, memoryAnswer);
  });
  mount(app, memoryRoutes.get, async ({ principal, db }, { params }) => {
    const store = await reachMemoryStore(db.read, principal, params.memory_store_id);
    return wholeMemoryAnswer(await findMemory(db.read, store.id, params.memory_id));
  });
  mount(app, memoryRoutes.update, async ({ principal, db }, input) =>
    wholeMemoryAnswer(await updateMemory(db, principal, input)),
  );
  mount(app, memoryRoutes.delete, async ({ principal, db }, { params, query }) => {
    await db.transaction(async (tx) => {
      const store = await reachToWrite(tx, principal, params.memory_store_id);
      const memory = await findMemory(tx, store.id, params.memory_id);
      expectContent(memory, query.expected_content_sha256, "expected_content_sha256");
      await removeMemory(tx, memory, apiActor(principal));
    });
    return { id: params.memory_id, type: "memory_deleted" as const };
  });
}

async function updateMemory(
  db: DatabaseAccess,
  principal: Principal,
  { params, body }: Input<typeof memoryRoutes.update>,
): Promise<WholeMemory> {
  return await db.transaction(async (tx) => {
    const store = await reachToWrite(tx, principal, params.memory_store_id);
    const memory = await findMemory(tx, store.id, params.memory_id);
    expectContent(memory, body.precondition?.content_sha256, "precondition");
    const { path = memory.path, content = memory.content } = body;
    if (path === memory.path && content === memory.content) return memory;
    const row = unlessRefused(path, await modifyMemory(tx, memory, apiActor(principal), { path, content }));
    return { ...row, content };
  });
}

async function findMemory(db: Queryable, storeId: string, memoryId: string): Promise<WholeMemory> {
  const id = parseId("memory", memoryId);
  const memory = id === null ? null : await getMemory(db, storeId, id);
  if (memory === null) throw errors.notFound("memory", memoryId);
  return memory;
}

function expectContent(
  { path, content_sha256 }: MemoryRow,
  expected: string | undefined,
  param: string,
): void {
  if (expected !== undefined && expected !== content_sha256) throw errors.memoryDiffers(path, param);
}

function unlessRefused(path: string, outcome: MemoryRow | PathRefusal): MemoryRow {
  if (!("refused" in outcome)) return outcome;
  if (outcome.refused === "store_full") throw errors.memoryStoreFull();
  throw errors.memoryPathTaken(path, outcome.by);
}
