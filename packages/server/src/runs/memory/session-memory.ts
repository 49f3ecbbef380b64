import { LeaseLost } from "@berth/agent";
import type { MountedDirectory, Sandbox } from "@berth/sandbox";
import type { Logger } from "pino";
import type { DatabaseAccess } from "../../db/database-access.ts";
import type { Placement } from "../inputs/placement.ts";
import type { RunMemoryStore } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import { withDeadline } from "../sandbox-io/scan-deadline.ts";
import { type MountedStore, mountedStore } from "./mounted-store.ts";
import { openReadOnlyDirectory, type ReadOnlyDirectory } from "./read-only-directory.ts";
import { lastVersions } from "./store-heads.ts";

/**
 * Keeps the memory stores that a session has mounted and the memories one thing, while the session's lease is held.
 *
 * Life story. Before a sandbox is opened, `directories` makes what it is to see of read-only stores. In it, `putInPlace`
 * fills each store once on a new disk. Then each tool call goes through `around`: what was changed elsewhere is there when
 * the call begins, and what was changed inside is a version when it ends. `beforeClose` looks a last time. A session
 * without stores costs nothing.
 */
export interface SessionMemory {
  /** @param disk host directory of the session's disk. */
  directories(disk: string): Promise<MountedDirectory[]>;
  putInPlace(sandbox: Sandbox, resource: RunMemoryStore): Promise<Placement>;
  /** When the signal aborts, what is left to do soon ends, and the next look at the disk goes on. */
  around<T>(open: () => Promise<Sandbox>, call: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Stores what a run that was cut off has left on the disk. Opens no sandbox when there are no stores. Never rejects. */
  catchUp(open: () => Promise<Sandbox>, signal?: AbortSignal): Promise<void>;
  /** Never rejects. */
  beforeClose(sandbox: Sandbox): Promise<void>;
}

export interface MemoryParts {
  db: DatabaseAccess;
  log: Logger;
}

interface Mounts {
  written: Map<string, MountedStore>;
  readOnly: Map<string, RunMemoryStore>;
}

const MOST_FAULTS = 10;
const never = new AbortController().signal;

/** @param notes takes what the model is to be told. @param stores do not change while the session lives. */
export function createSessionMemory(
  { db, log }: MemoryParts,
  { lease, notes, stores }: { lease: Lease; notes: string[]; stores: readonly RunMemoryStore[] },
): SessionMemory {
  /** By store: what a sandbox that is open sees of it, and as of which change. */
  const shown = new Map<string, { directory: ReadOnlyDirectory; version: number | undefined }>();
  const mounts = mountsOf(db, lease, stores);
  let last: Promise<unknown> = Promise.resolve();

  /** One after another, whatever became of the one before. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work);
    last = done.catch(() => undefined);
    return done;
  }

  function tell(faults: readonly string[]): void {
    const rest = faults.length - MOST_FAULTS;
    const lines = [...faults.slice(0, MOST_FAULTS), ...(rest > 0 ? [`And ${rest} more like these.`] : [])];
    if (lines.length > 0) notes.push(`[${lines.join("\n")}]`);
  }

  async function bringIn(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
    const { written, readOnly } = mounts;
    const versions = await lastVersions(db.write, [...written.keys(), ...readOnly.keys()]);
    for (const [storeId, store] of written) {
      if (!store.isAt(sandbox, versions.get(storeId))) tell(await store.sync(sandbox, true, signal));
    }
    for (const [storeId, one] of shown) {
      const version = versions.get(storeId);
      if (one.version === version) continue;
      await one.directory.refresh(db.write);
      one.version = version;
    }
  }

  async function takeOut(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
    for (const store of mounts.written.values())
      if (store.isIn(sandbox)) tell(await store.sync(sandbox, false, signal));
  }

  /** What is not stored now is found on the disk by the next look. */
  async function takeOutOrTell(sandbox: Sandbox, signal = never): Promise<void> {
    try {
      await inTurn(() => withDeadline(signal, (deadline) => takeOut(sandbox, deadline)));
    } catch (error) {
      if (error instanceof LeaseLost) return;
      log.error({ err: error, session: lease.sessionId }, "changes in a memory store could not be stored");
      tell([
        "What was changed in the memory stores could not be stored yet; it is tried again with the next call.",
      ]);
    }
  }

  return {
    async directories(disk) {
      const { readOnly } = mounts;
      if (readOnly.size === 0) return [];
      const versions = await lastVersions(db.write, [...readOnly.keys()]);
      const made: MountedDirectory[] = [];
      for (const [storeId, { id, mountPath }] of readOnly) {
        const source = `${disk}/memory-${id}`;
        const directory = await openReadOnlyDirectory(source, storeId);
        await directory.refresh(db.write);
        shown.set(storeId, { directory, version: versions.get(storeId) });
        made.push({ source, target: mountPath });
      }
      return made;
    },
    async putInPlace(sandbox, { storeId }): Promise<Placement> {
      const store = mounts.written.get(storeId);
      if (store === undefined) return {};
      const fault = await inTurn(() => store.fill(sandbox));
      if (fault === null) return {};
      return { fault: { type: "sandbox_error", message: `The memories could not be written: ${fault}.` } };
    },
    async around(open, call, signal) {
      if (mounts.written.size + mounts.readOnly.size === 0) return await call();
      const sandbox = await open();
      await inTurn(() => withDeadline(signal, (deadline) => bringIn(sandbox, deadline)));
      try {
        return await call();
      } finally {
        await takeOutOrTell(sandbox, signal);
      }
    },
    async catchUp(open, signal = never) {
      try {
        if (mounts.written.size === 0) return;
        const sandbox = await open();
        await inTurn(() => withDeadline(signal, (deadline) => bringIn(sandbox, deadline)));
      } catch (error) {
        log.warn({ err: error, session: lease.sessionId }, "memory stores could not be looked at");
      }
    },
    async beforeClose(sandbox) {
      if (mounts.written.size > 0) await takeOutOrTell(sandbox);
    },
  };
}

function mountsOf(db: DatabaseAccess, lease: Lease, stores: readonly RunMemoryStore[]): Mounts {
  const readOnly = stores.filter(({ access }) => access === "read_only");
  const written = stores.filter(({ access }) => access === "read_write");
  return {
    written: new Map(written.map((store) => [store.storeId, mountedStore(db, lease, store)])),
    readOnly: new Map(readOnly.map((store) => [store.storeId, store])),
  };
}
