import type { Sandbox } from "@berth/sandbox";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { RunMemoryStore } from "../inputs/resource-store.ts";
import { type AppliedChanges, applyChanges } from "./apply-changes.ts";
import {
  type Base,
  type DetectedChanges,
  detectChanges,
  planReading,
  type RejectedFiles,
} from "./detect-changes.ts";
import { listFiles } from "./list-files.ts";
import { lastVersions, readContents, readHeads } from "./memory-head-store.ts";
import { clearBase, lockLease, readBase, storeBase } from "./mount-base-store.ts";
import { readFiles } from "./read-files.ts";
import { type WantedFile, writeFiles } from "./write-files.ts";

/** Changes that were applied, and the store's number of changes afterwards. */
type Applied = AppliedChanges & { version: number };

const MAX_FILES = 4_000;
/** The most files in memory at once. */
const BATCH_FILES = 100;

/**
 * A memory store that the agent can write: files on the session's disk that are kept equal to the memories,
 * by a three-way comparison with the state in which both last agreed. Calls must not overlap.
 */
export class MountedStore {
  readonly storeId: string;
  readonly #db: DatabaseAccess;
  readonly #mask: (text: string) => string;
  readonly #lease: Lease;
  readonly #root: string;
  readonly #rejected: RejectedFiles = new Map();
  #base: Base | undefined;
  /** The store's number of changes at which the files equalled the memories; null when they may differ. */
  #version: number | null = null;
  #lastSandbox: Sandbox | undefined;

  constructor(
    { db, mask }: { db: DatabaseAccess; mask(text: string): string },
    lease: Lease,
    { storeId, mountPath }: RunMemoryStore,
  ) {
    this.storeId = storeId;
    this.#db = db;
    this.#mask = mask;
    this.#lease = lease;
    this.#root = mountPath;
  }

  /** Returns whether this sandbox's files were read, and equal the memories at this number of changes. */
  isCurrent(sandbox: Sandbox, version: number | undefined): boolean {
    return this.#lastSandbox === sandbox && this.#version !== null && this.#version === version;
  }

  /** Returns whether the files of this sandbox were read or written before. */
  wasRead(sandbox: Sandbox): boolean {
    return this.#lastSandbox === sandbox;
  }

  /** Writes all memories to a new disk. Returns why that failed, for people, or null. @throws LeaseLost */
  async fill(sandbox: Sandbox): Promise<string | null> {
    const { storeId } = this;
    await this.#underLease((tx) => clearBase(tx, this.#lease.sessionId, storeId));
    const base: Base = new Map();
    this.#base = base;
    this.#rejected.clear();
    const version = (await lastVersions(this.#db.write, [storeId])).get(storeId) ?? 0;
    const paths = [...(await readHeads(this.#db.write, storeId)).keys()].toSorted();
    const fault =
      (await writeFiles(sandbox, this.#root, [], { fresh: true })) ??
      (await this.#writeOut(sandbox, base, paths));
    this.#version = fault === null ? version : null;
    this.#lastSandbox = sandbox;
    return fault;
  }

  /**
   * Creates versions from the changes in the sandbox. If there were any, or with `always`, it then updates
   * the files of memories that changed elsewhere. Returns notes for the agent. If the sandbox ends meanwhile
   * or the signal aborts, nothing is lost: the next call on the same disk continues.
   *
   * @throws LeaseLost, and errors of the database.
   */
  async sync(sandbox: Sandbox, always: boolean, signal: AbortSignal): Promise<string[]> {
    const base = this.#base ?? (await readBase(this.#db.write, this.#lease.sessionId, this.storeId));
    this.#base = base;
    const faults: string[] = [];
    const overruled: string[] = [];
    let last: Applied | undefined;
    for await (const detected of this.#detect(sandbox, base, signal)) {
      this.#lastSandbox = sandbox;
      faults.push(...detected.faults);
      if (!always && detected.changes.length === 0 && detected.restamped.length === 0) continue;
      const applied = await this.#apply(detected, base);
      if (applied === null) return faults;
      updateBase(base, [...applied.same, ...detected.restamped], applied.gone);
      for (const { path, stamp } of applied.unkept) if (stamp !== null) this.#rejected.set(path, stamp);
      faults.push(...applied.faults);
      const kept = new Set(applied.same.map(({ path }) => path));
      overruled.push(...applied.overruled, ...detected.masked.filter((path) => kept.has(path)));
      last = applied;
    }
    if (last === undefined) return faults;
    const fault = await this.#writeOut(sandbox, base, differing(base, { ...last, overruled }), signal);
    this.#version = fault === null ? last.version : null;
    if (fault === null) return faults;
    return [...faults, `The memories at ${this.#root} could not be brought up to date: ${fault}.`];
  }

  /** Detects changes in batches; deletions come with the first. Ends early when a command is cut off. */
  async *#detect(sandbox: Sandbox, base: Base, signal: AbortSignal): AsyncGenerator<DetectedChanges> {
    const listing = await listFiles(sandbox, this.#root, MAX_FILES, signal);
    if (listing === null) return;
    const { read, ...rest } = planReading(this.#root, listing, base, this.#rejected, this.#mask);
    let first = rest;
    for (let from = 0; from === 0 || from < read.length; from += BATCH_FILES) {
      const some = read.slice(from, from + BATCH_FILES);
      const paths = some.map(({ path }) => path);
      const contents = await readFiles(sandbox, this.#root, paths, signal);
      if (contents === null) return;
      yield detectChanges(this.#root, { read: some, ...first }, contents, base, this.#rejected, this.#mask);
      first = { gone: [], faults: [] };
    }
  }

  /** Applies changes and stores the base in one transaction. Returns null when the store was deleted. */
  async #apply({ changes, restamped }: DetectedChanges, base: Base): Promise<Applied | null> {
    const { storeId } = this;
    const { sessionId } = this.#lease;
    return await this.#db.transaction(async (tx) => {
      await lockLease(tx, this.#lease);
      const applied = await applyChanges(tx, { sessionId, storeId, root: this.#root }, base, changes);
      if (applied === null) return null;
      await storeBase(tx, sessionId, storeId, [...applied.same, ...restamped], applied.gone);
      return { ...applied, version: (await lastVersions(tx, [storeId])).get(storeId) ?? 0 };
    });
  }

  /**
   * Makes the files at these paths equal the memories, and deletes those without a memory. Returns why that
   * failed, for people, or null.
   */
  async #writeOut(
    sandbox: Sandbox,
    base: Base,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<string | null> {
    const { sessionId } = this.#lease;
    for (let from = 0; from < paths.length; from += BATCH_FILES) {
      const some = paths.slice(from, from + BATCH_FILES);
      const existing = await readContents(this.#db.write, this.storeId, some);
      const gone = some.filter((path) => !existing.some((memory) => memory.path === path));
      const files: WantedFile[] = [...gone.map((path) => ({ path, content: null })), ...existing];
      const fault = await writeFiles(sandbox, this.#root, files, signal === undefined ? {} : { signal });
      if (fault !== null) return fault;
      const same = existing.map(({ path, content_sha256 }) => ({ path, content_sha256, stamp: null }));
      await this.#underLease((tx) => storeBase(tx, sessionId, this.storeId, same, gone));
      updateBase(base, same, gone);
    }
    return null;
  }

  async #underLease(work: (tx: Queryable) => Promise<void>): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await lockLease(tx, this.#lease);
      await work(tx);
    });
  }
}

/** Returns the paths whose files differ: deletions first, and each directory before its content. */
function differing(base: Base, { heads, overruled }: AppliedChanges): string[] {
  const gone = [...base.keys()].filter((path) => !heads.has(path));
  const changed = [...heads.values()]
    .filter(({ path, content_sha256 }) => base.get(path)?.content_sha256 !== content_sha256)
    .map(({ path }) => path);
  return [...new Set([...gone, ...overruled.toSorted(), ...changed.toSorted()])];
}

function updateBase(
  base: Base,
  same: readonly { path: string; content_sha256: string; stamp: string | null }[],
  gone: readonly string[],
): void {
  for (const path of gone) base.delete(path);
  for (const { path, content_sha256, stamp } of same) base.set(path, { content_sha256, stamp });
}
