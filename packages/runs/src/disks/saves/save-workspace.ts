import { LeaseLost } from "@berth/agent";
import {
  diskPlaces,
  PackError,
  type PackOutcome,
  type PackPlan,
  packDisk,
  type Sandbox,
} from "@berth/sandbox";
import type { BlobStore, StagedBlob } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";
import { lockContent, removeUnusedContent } from "@berth/store/files";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import { isRepository, type RunResource } from "../../inputs/resource-store.ts";
import type { RepositorySnapshots } from "../../repositories/snapshots/repository-snapshots.ts";
import { type BaseMount, mountBases, unmountBases } from "./base-mounts.ts";
import { compressed, SaveTooLargeError } from "./compress.ts";
import { beginSave, readSave, type SavedBase, storeSave } from "./save-store.ts";

/**
 * The outcome of a save.
 *
 * - `partial`: saved, except for files that could not be read.
 * - `too_large`: larger than the limit. The former save stays.
 * - `cut`: the signal aborted, or the lease is lost. The former save stays.
 * - `failed`: another failure. The former save stays.
 */
export type SaveOutcome = "saved" | "partial" | "too_large" | "cut" | "failed";

export interface SaveDeps {
  db: DatabaseAccess;
  blobs: BlobStore;
  log: Logger;
  snapshots: Pick<RepositorySnapshots, "mounts">;
  saves: { maxBytes: number };
}

export interface SaveTarget {
  lease: Lease;
  sandbox: Sandbox;
  /** Directories that the sandbox may write, besides those that every sandbox has. */
  writable: string[];
  /** The resources as they are now. */
  resources: readonly RunResource[];
  /** Stops the save. */
  signal: AbortSignal;
}

export interface SaveResult {
  outcome: SaveOutcome;
  /** Bytes that were stored; 0 when none were. */
  bytes: number;
}

const MAX_MS = 1_800_000;

/**
 * Saves a session's disk to the blob store: the differences from its repository snapshots, and each of these
 * snapshots once. The former save is valid until the transaction that replaces it. Never rejects.
 */
export async function saveWorkspace(deps: SaveDeps, target: SaveTarget): Promise<SaveResult> {
  const stop = new AbortController();
  const signal = AbortSignal.any([target.signal, stop.signal]);
  const staged: StagedBlob[] = [];
  let mounts: BaseMount[] = [];
  try {
    const begun = await beginSave(deps.db.write, target.lease);
    mounts = await mountBases(target.sandbox, deps.snapshots.mounts(target.resources));
    const budget = new Budget(deps.saves.maxBytes);
    const stage = async (plan: PackPlan) => {
      const { archive, outcome } = packDisk(target.sandbox, plan, { timeoutMs: MAX_MS, signal });
      const blob = await deps.blobs.stage(compressed(archive, budget.left));
      staged.push(blob);
      budget.spend(blob.size);
      return { blob, outcome: await outcome };
    };
    const bases = await savedBases(deps, target, { mounts, stage, budget });
    const { blob, outcome } = await stage(planOf(target, mounts));
    signal.throwIfAborted();
    await keep(deps, staged, (tx) =>
      storeSave(tx, target.lease, { ...begun, sha256: blob.sha256, size: budget.spent, bases }),
    );
    return { outcome: outcome === "whole" ? "saved" : "partial", bytes: sum(staged) };
  } catch (error) {
    return { outcome: outcomeOf(error, target.signal, deps.log), bytes: 0 };
  } finally {
    stop.abort();
    // The sweep removes what could not be discarded.
    await Promise.allSettled(staged.map((blob) => blob.discard()));
    await unmountBases(target.sandbox, mounts).catch(() => undefined);
  }
}

/** The bytes that the archives of one save may take together. */
class Budget {
  left: number;
  spent = 0;

  constructor(bytes: number) {
    this.left = bytes;
  }

  spend(bytes: number): void {
    this.left -= bytes;
    this.spent += bytes;
    if (this.left < 0) throw new SaveTooLargeError();
  }
}

/** Saves the snapshots. A snapshot never changes, so one that the former save has is not packed again. */
async function savedBases(
  { db }: SaveDeps,
  { lease, resources }: SaveTarget,
  {
    mounts,
    stage,
    budget,
  }: {
    mounts: readonly BaseMount[];
    stage(plan: PackPlan): Promise<{ blob: StagedBlob; outcome: PackOutcome | null }>;
    budget: Budget;
  },
): Promise<SavedBase[]> {
  const former = mounts.length === 0 ? null : await readSave(db.write, lease.sessionId);
  const saved: SavedBase[] = [];
  for (const { snapshot, target, at } of mounts) {
    if (at === null) continue;
    const resource = resources.filter(isRepository).find(({ mountPath }) => mountPath === target)?.id;
    if (resource === undefined) continue;
    const known = former?.bases.find((base) => base.snapshot === snapshot && base.target === target);
    if (known !== undefined) {
      budget.spend(known.size);
      saved.push({ ...known, resource });
      continue;
    }
    const { blob } = await stage({ root: at, places: [at] });
    saved.push({ resource, snapshot, target, sha256: blob.sha256, size: blob.size });
  }
  return saved;
}

function planOf({ writable, resources }: SaveTarget, mounts: readonly BaseMount[]): PackPlan {
  // A memory store is not saved, since its memories are stored elsewhere and put in place anew.
  const stores = resources.filter(({ type }) => type === "memory_store");
  const whole = mounts.filter(({ at }) => at === null);
  const changed = mounts.flatMap(({ target, at }) => (at === null ? [] : [{ directory: target, base: at }]));
  return {
    root: "/",
    places: [...diskPlaces({ writable }), ...whole.map(({ target }) => target)],
    omitted: [...stores.map(({ mountPath }) => mountPath), ...changed.map(({ base }) => base)],
    changes: changed,
  };
}

/** Stores contents and the row that names them. Removes contents that nothing names afterwards. */
async function keep(
  { db, blobs }: SaveDeps,
  staged: readonly StagedBlob[],
  store: (tx: Parameters<typeof storeSave>[0]) => Promise<string[]>,
): Promise<void> {
  const unused = await db.transaction(async (tx) => {
    for (const blob of staged.toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1))) {
      await lockContent(tx, blob.sha256);
      await blob.keep();
    }
    return await store(tx);
  });
  for (const sha256 of unused) await removeUnusedContent(db, blobs, sha256).catch(() => undefined);
}

function outcomeOf(error: unknown, signal: AbortSignal, log: Logger): SaveOutcome {
  if (error instanceof SaveTooLargeError) return "too_large";
  if (signal.aborted || error instanceof LeaseLost) return "cut";
  const level = error instanceof PackError ? "warn" : "error";
  log[level]({ err: error }, "a workspace could not be saved");
  return "failed";
}

function sum(blobs: readonly StagedBlob[]): number {
  return blobs.reduce((total, { size }) => total + size, 0);
}
