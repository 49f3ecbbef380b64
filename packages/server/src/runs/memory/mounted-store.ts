import type { Sandbox } from "@berth/sandbox";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Queryable } from "../../db/statement.ts";
import type { RunMemoryStore } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import { listFiles } from "./list-files.ts";
import { clearBase, holdLease, readBase, storeBase } from "./mount-file-store.ts";
import { type Base, type Looked, planChanges, planReading, type Refused } from "./plan-changes.ts";
import { readFiles } from "./read-files.ts";
import { lastVersions, readContents, readHeads } from "./store-heads.ts";
import { type Taken, takeChanges } from "./take-changes.ts";
import { type WantedFile, writeFiles } from "./write-files.ts";

/** A store that the agent can write: files on the session's disk, which are memories as well. Calls come one after another. */
export interface MountedStore {
  readonly storeId: string;
  /** Whether it was looked at in this sandbox, and has the memories as of that many changes of the store. */
  isAt(sandbox: Sandbox, version: number | undefined): boolean;
  /** Whether there may be something in this sandbox that was not looked at. */
  isIn(sandbox: Sandbox): boolean;
  /** Puts all memories on a disk that has none of them. Answers why it could not, for people, or null. */
  fill(sandbox: Sandbox): Promise<string | null>;
  /**
   * Makes versions of what changed in the container, then files of what changed elsewhere; the latter only if something
   * changed inside, or `always`. Answers what the agent is to be told. Where the sandbox ends meanwhile or the signal aborts,
   * nothing is lost: the next look at the same disk goes on.
   *
   * @throws LeaseLost, and what the database throws.
   */
  sync(sandbox: Sandbox, always: boolean, signal: AbortSignal): Promise<string[]>;
}

const MOST_FILES = 4_000;
const FILES_AT_ONCE = 100;

export function mountedStore(db: DatabaseAccess, lease: Lease, resource: RunMemoryStore): MountedStore {
  const { sessionId } = lease;
  const { storeId, mountPath: root } = resource;
  const refused: Refused = new Map();
  let base: Base | undefined;
  let synced: number | null = null;
  let seen: Sandbox | undefined;

  /** So many files at once as may be in memory; what is gone goes with the first. Ends early when a command is cut off. */
  async function* look(sandbox: Sandbox, known: Base, signal: AbortSignal): AsyncGenerator<Looked> {
    const listing = await listFiles(sandbox, root, MOST_FILES, signal);
    if (listing === null) return;
    const { read, ...rest } = planReading(root, listing, known, refused);
    let first = rest;
    for (let from = 0; from === 0 || from < read.length; from += FILES_AT_ONCE) {
      const some = read.slice(from, from + FILES_AT_ONCE);
      const paths = some.map(({ path }) => path);
      const contents = await readFiles(sandbox, root, paths, signal);
      if (contents === null) return;
      yield planChanges(root, { read: some, ...first }, contents, known, refused);
      first = { gone: [], faults: [] };
    }
  }

  async function take(looked: Looked, known: Base): Promise<(Taken & { version: number }) | null> {
    return await db.transaction(async (tx) => {
      await holdLease(tx, lease);
      const taken = await takeChanges(tx, { sessionId, storeId, root }, known, looked.changes);
      if (taken === null) return null;
      await storeBase(tx, sessionId, storeId, [...taken.same, ...looked.restamped], taken.gone);
      return { ...taken, version: (await lastVersions(tx, [storeId])).get(storeId) ?? 0 };
    });
  }

  /** Files of the memories at these paths, and none where there is no memory any more. */
  async function bring(
    sandbox: Sandbox,
    known: Base,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<string | null> {
    for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
      const some = paths.slice(from, from + FILES_AT_ONCE);
      const there = await readContents(db.write, storeId, some);
      const gone = some.filter((path) => !there.some((memory) => memory.path === path));
      const files: WantedFile[] = [...gone.map((path) => ({ path, content: null })), ...there];
      const fault = await writeFiles(sandbox, root, files, signal === undefined ? {} : { signal });
      if (fault !== null) return fault;
      const same = there.map(({ path, content_sha256 }) => ({ path, content_sha256, stamp: null }));
      await underLease((tx) => storeBase(tx, sessionId, storeId, same, gone));
      remember(known, same, gone);
    }
    return null;
  }

  async function underLease(work: (tx: Queryable) => Promise<void>): Promise<void> {
    await db.transaction(async (tx) => {
      await holdLease(tx, lease);
      await work(tx);
    });
  }

  return {
    storeId,
    isAt: (sandbox, version) => seen === sandbox && synced !== null && synced === version,

    isIn: (sandbox) => seen === sandbox,

    async fill(sandbox) {
      await underLease((tx) => clearBase(tx, sessionId, storeId));
      const known: Base = new Map();
      base = known;
      refused.clear();
      const version = (await lastVersions(db.write, [storeId])).get(storeId) ?? 0;
      const paths = [...(await readHeads(db.write, storeId)).keys()].toSorted();
      const fault =
        (await writeFiles(sandbox, root, [], { fresh: true })) ?? (await bring(sandbox, known, paths));
      synced = fault === null ? version : null;
      seen = sandbox;
      return fault;
    },

    async sync(sandbox, always, signal) {
      const known = base ?? (await readBase(db.write, sessionId, storeId));
      base = known;
      const faults: string[] = [];
      const overruled: string[] = [];
      let last: (Taken & { version: number }) | undefined;
      for await (const looked of look(sandbox, known, signal)) {
        seen = sandbox;
        faults.push(...looked.faults);
        if (!always && looked.changes.length === 0 && looked.restamped.length === 0) continue;
        const taken = await take(looked, known);
        if (taken === null) return faults;
        remember(known, [...taken.same, ...looked.restamped], taken.gone);
        for (const { path, stamp } of taken.unkept) if (stamp !== null) refused.set(path, stamp);
        faults.push(...taken.faults);
        overruled.push(...taken.overruled);
        last = taken;
      }
      if (last === undefined) return faults;
      const taken = { ...last, overruled };
      const fault = await bring(sandbox, known, differing(known, taken), signal);
      synced = fault === null ? taken.version : null;
      const late =
        fault === null ? [] : [`The memories at ${root} could not be brought up to date: ${fault}.`];
      return [...faults, ...late];
    },
  };
}

/** Paths whose files are not as the memories are: removals first, and each directory before what lies in it. */
function differing(known: Base, { heads, overruled }: Taken): string[] {
  const gone = [...known.keys()].filter((path) => !heads.has(path));
  const changed = [...heads.values()]
    .filter(({ path, content_sha256 }) => known.get(path)?.content_sha256 !== content_sha256)
    .map(({ path }) => path);
  return [...new Set([...gone, ...overruled.toSorted(), ...changed.toSorted()])];
}

function remember(
  known: Base,
  same: readonly { path: string; content_sha256: string; stamp: string | null }[],
  gone: readonly string[],
): void {
  for (const path of gone) known.delete(path);
  for (const { path, content_sha256, stamp } of same) known.set(path, { content_sha256, stamp });
}
