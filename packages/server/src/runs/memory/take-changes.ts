import { formatId, MAX_MEMORIES, type MemoryActor } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import {
  insertMemory,
  type MemoryConflict,
  modifyMemory,
  removeMemory,
} from "../../features/memories/memory-change-store.ts";
import { lockMemoryStore } from "../../features/memory-stores/memory-store-store.ts";
import type { Base, Change } from "./plan-changes.ts";
import { type Head, readHeads, wasEver } from "./store-heads.ts";

export interface Taken {
  /** Now the same as their memories. */
  same: { path: string; content_sha256: string; stamp: string | null }[];
  gone: string[];
  /** Not taken: the file is to be as the memory is. */
  overruled: string[];
  /** Not taken, with no memory that the file could follow: it stays as it is, by itself. */
  unkept: { path: string; stamp: string | null }[];
  /** Why changes were not taken, a sentence each. */
  faults: string[];
  /** The memories as they are after it. */
  heads: Map<string, Head>;
}

/**
 * Makes versions of what a container changed, in one transaction. A change is taken when the memory is still what the
 * container's file was made from; else the memory stays, and the file is to follow it. Deletions come first, so that a
 * file can take the place of a directory.
 *
 * @returns null when the store is not there any more.
 */
export async function takeChanges(
  tx: Queryable,
  at: { sessionId: string; storeId: string; root: string },
  base: Base,
  changes: readonly Change[],
): Promise<Taken | null> {
  const store = await lockMemoryStore(tx, at.storeId);
  if (store === null) return null;
  const actor: MemoryActor = { type: "session_actor", session_id: formatId("session", at.sessionId) };
  const heads = await readHeads(tx, at.storeId);
  const taken: Taken = { same: [], gone: [], overruled: [], unkept: [], faults: [], heads };
  const ordered = changes.toSorted(
    (one, other) => Number(one.content !== null) - Number(other.content !== null),
  );
  for (const change of ordered) {
    const head = heads.get(change.path);
    if (isHead(head, change)) {
      note(taken, change);
      continue;
    }
    const overruling =
      store.archived_at !== null
        ? "the memory store is archived"
        : head?.content_sha256 !== base.get(change.path)?.content_sha256
          ? "the memory was changed elsewhere meanwhile"
          : null;
    if (overruling === null) {
      const fault = await apply(tx, at.storeId, actor, change, heads);
      if (fault === null) note(taken, change);
      else leave(taken, at.root, change, fault);
      continue;
    }
    taken.overruled.push(change.path);
    if (change.content !== null && (await wasEver(tx, at.storeId, change.path, change.content_sha256)))
      continue;
    const what = change.content === null ? "Removing" : "What was written to";
    const now = head === undefined ? "It was removed" : "The file holds the memory again";
    taken.faults.push(`${what} ${at.root}${change.path} was not taken: ${overruling}. ${now}.`);
  }
  return taken;
}

function isHead(head: Head | undefined, change: Change): boolean {
  return change.content === null ? head === undefined : head?.content_sha256 === change.content_sha256;
}

function note(taken: Taken, change: Change): void {
  const { path } = change;
  if (change.content === null) taken.gone.push(path);
  else taken.same.push({ path, content_sha256: change.content_sha256, stamp: change.stamp });
}

function leave(taken: Taken, root: string, change: Change, fault: string): void {
  if (change.content === null) return;
  taken.unkept.push({ path: change.path, stamp: change.stamp });
  taken.faults.push(`${root}${change.path} is not kept as a memory: ${fault}.`);
}

/** Why it could not be done, or null; `heads` are as they are then. */
async function apply(
  tx: Queryable,
  storeId: string,
  actor: MemoryActor,
  change: Change,
  heads: Map<string, Head>,
): Promise<string | null> {
  const { path, content } = change;
  const head = heads.get(path);
  if (content === null) {
    if (head !== undefined) await removeMemory(tx, { ...head, memory_store_id: storeId }, actor);
    heads.delete(path);
    return null;
  }
  const outcome =
    head === undefined
      ? await insertMemory(tx, storeId, actor, { path, content })
      : await modifyMemory(tx, { ...head, memory_store_id: storeId }, actor, { path, content });
  if ("conflict" in outcome) return told(outcome);
  heads.set(path, outcome);
  return null;
}

function told(refusal: MemoryConflict): string {
  return refusal.conflict === "store_full"
    ? `the memory store holds ${MAX_MEMORIES} memories, which is the most`
    : `there is a memory at ${refusal.by}`;
}
