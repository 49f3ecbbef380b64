import { memoryVersionRoutes, parseId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import { errors } from "../../http/errors.ts";
import type { HttpApp } from "../../http/http-app.ts";
import { mount } from "../../http/mount.ts";
import { keysetPlace, pageAnswer } from "../../http/page.ts";
import { apiActor } from "../memories/change-memory.ts";
import { reachMemoryStore, reachToWrite } from "../memory-stores/reach-memory-store.ts";
import {
  getMemoryVersion,
  listMemoryVersions,
  memoryVersionAnswer,
  redactMemoryVersion,
  type WholeMemoryVersion,
  wholeMemoryVersionAnswer,
} from "./memory-version-store.ts";

export function mountMemoryVersions(app: HttpApp): void {
  mount(app, memoryVersionRoutes.list, async (context, input) => {
    const store = await reachMemoryStore(context.db.read, context.principal, input.params.memory_store_id);
    const place = keysetPlace(context, input, "memory_version");
    const { memory_id: memoryId, session_id: sessionId, operation = null } = input.query;
    const rows = await listMemoryVersions(context.db.read, store.id, place, {
      memoryId: memoryId === undefined ? null : parseId("memory", memoryId),
      sessionId: sessionId === undefined ? null : parseId("session", sessionId),
      operation,
    });
    return pageAnswer(context, input, place, "memory_version", rows, memoryVersionAnswer);
  });
  mount(app, memoryVersionRoutes.get, async ({ principal, db }, { params }) => {
    const store = await reachMemoryStore(db.read, principal, params.memory_store_id);
    return wholeMemoryVersionAnswer(await findVersion(db.read, store.id, params.memory_version_id));
  });
  mount(app, memoryVersionRoutes.redact, async ({ principal, db }, { params }) => {
    const row = await db.transaction(async (tx) => {
      const store = await reachToWrite(tx, principal, params.memory_store_id);
      const version = await findVersion(tx, store.id, params.memory_version_id);
      if (version.redacted_at !== null) return version;
      if (!(await redactMemoryVersion(tx, version.id, apiActor(principal)))) {
        throw errors.memoryVersionIsNewest(params.memory_version_id);
      }
      return await findVersion(tx, store.id, params.memory_version_id);
    });
    return wholeMemoryVersionAnswer(row);
  });
}

async function findVersion(db: Queryable, storeId: string, versionId: string): Promise<WholeMemoryVersion> {
  const id = parseId("memory_version", versionId);
  const row = id === null ? null : await getMemoryVersion(db, storeId, id);
  if (row === null) throw errors.notFound("memory version", versionId);
  return row;
}
