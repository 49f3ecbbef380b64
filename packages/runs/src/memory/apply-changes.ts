import { formatId, MAX_MEMORIES, type MemoryActor } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import {
  insertMemory,
  lockMemoryStore,
  type MemoryConflict,
  modifyMemory,
  removeMemory,
} from "@berth/store/memories";
import type { Base, Change } from "./detect-changes.ts";
import { type Head, hadContent, readHeads } from "./memory-head-store.ts";

export interface AppliedChanges {
  /** Files that equal their memories. */
  same: { path: string; content_sha256: string; stamp: string | null }[];
  gone: string[];
  /** Paths whose change was not applied: the file must become equal to the memory. */
  overruled: string[];
  /** Files without a memory whose change was not applied. They stay as they are. */
  unkept: { path: string; stamp: string | null }[];
  /** Why changes were not applied, a sentence each, for the model. */
  faults: string[];
  /** The memories afterwards. */
  heads: Map<string, Head>;
}

/**
 * Creates versions from the changes of a sandbox, in one transaction. A change is applied if the memory still
 * equals the base. Otherwise the memory stays, and the file must become equal to it. Deletions come first, so
 * that a file can replace a directory.
 *
 * @returns null when the store was deleted.
 */
export async function applyChanges(
  tx: Queryable,
  at: { sessionId: string; storeId: string; root: string },
  base: Base,
  changes: readonly Change[],
): Promise<AppliedChanges | null> {
  const store = await lockMemoryStore(tx, at.storeId);
  if (store === null) return null;
  const actor: MemoryActor = { type: "session_actor", session_id: formatId("session", at.sessionId) };
  const heads = await readHeads(tx, at.storeId);
  const applied: AppliedChanges = { same: [], gone: [], overruled: [], unkept: [], faults: [], heads };
  const ordered = changes.toSorted(
    (one, other) => Number(one.content !== null) - Number(other.content !== null),
  );
  for (const change of ordered) {
    const head = heads.get(change.path);
    if (isHead(head, change)) {
      markSame(applied, change);
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
      if (fault === null) markSame(applied, change);
      else keepApart(applied, at.root, change, fault);
      continue;
    }
    applied.overruled.push(change.path);
    if (change.content !== null && (await hadContent(tx, at.storeId, change.path, change.content_sha256)))
      continue;
    const what = change.content === null ? "Removing" : "What was written to";
    const now = head === undefined ? "It was removed" : "The file holds the memory again";
    applied.faults.push(`${what} ${at.root}${change.path} was not taken: ${overruling}. ${now}.`);
  }
  return applied;
}

function isHead(head: Head | undefined, change: Change): boolean {
  return change.content === null ? head === undefined : head?.content_sha256 === change.content_sha256;
}

function markSame(applied: AppliedChanges, change: Change): void {
  const { path } = change;
  if (change.content === null) applied.gone.push(path);
  else applied.same.push({ path, content_sha256: change.content_sha256, stamp: change.stamp });
}

function keepApart(applied: AppliedChanges, root: string, change: Change, fault: string): void {
  if (change.content === null) return;
  applied.unkept.push({ path: change.path, stamp: change.stamp });
  applied.faults.push(`${root}${change.path} is not kept as a memory: ${fault}.`);
}

/** Applies one change and updates `heads`. Returns why the change could not be applied, or null. */
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
  if ("conflict" in outcome) return explain(outcome);
  heads.set(path, outcome);
  return null;
}

function explain(conflict: MemoryConflict): string {
  return conflict.conflict === "store_full"
    ? `the memory store holds ${MAX_MEMORIES} memories, which is the most`
    : `there is a memory at ${conflict.by}`;
}
