import { LeaseLost, type Tool } from "@berth/agent";
import type { MountedDirectory, Sandbox } from "@berth/sandbox";
import type { DatabaseAccess } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { Placement } from "../inputs/placement.ts";
import type { RunMemoryStore } from "../inputs/resource-store.ts";
import { withDeadline } from "../sandbox-io/scan-deadline.ts";
import { lastVersions } from "./memory-head-store.ts";
import { MountedStore } from "./mounted-store.ts";
import { ReadOnlyDirectory } from "./read-only-directory.ts";

export interface MemoryDeps {
  db: DatabaseAccess;
  mask(text: string): string;
  log: Logger;
}

export interface MemoryTarget {
  lease: Lease;
  /** Collects notes for the model. */
  notes: string[];
  /** The session's stores, which do not change while the session exists. */
  stores: readonly RunMemoryStore[];
}

/** A read-only store as an open sandbox sees it. */
interface OpenDirectory {
  directory: ReadOnlyDirectory;
  /** The path in the sandbox. */
  target: string;
  /** The store's number of changes at the last refresh; undefined when the store was deleted. */
  version: number | undefined;
}

const MAX_FAULTS = 10;
const NEVER = new AbortController().signal;

/**
 * Keeps the mounted memory stores of a session equal to the memories, while the session's lease is held.
 *
 * Lifecycle: before a sandbox is opened, `directories` creates the directories of read-only stores. In the
 * sandbox, `putInPlace` fills each store once on a new disk. Then each tool call goes through `around`:
 * changes made elsewhere are in place when the call starts, and changes made in the sandbox are versions when
 * it ends. `beforeClose` syncs a last time. A session without stores costs nothing.
 */
export class SessionMemory {
  readonly #deps: MemoryDeps;
  readonly #target: MemoryTarget;
  readonly #writable: ReadonlyMap<string, MountedStore>;
  readonly #readOnly: readonly RunMemoryStore[];
  readonly #directories = new Map<string, OpenDirectory>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: MemoryDeps, target: MemoryTarget) {
    const { lease, stores } = target;
    this.#deps = deps;
    this.#target = target;
    this.#readOnly = stores.filter(({ access }) => access === "read_only");
    const writable = stores.filter(({ access }) => access === "read_write");
    this.#writable = new Map(writable.map((store) => [store.storeId, new MountedStore(deps, lease, store)]));
  }

  /** Creates directories of read-only stores. @param disk host directory for files beside the disk. */
  async directories(disk: string): Promise<MountedDirectory[]> {
    if (this.#readOnly.length === 0) return [];
    const { db } = this.#deps;
    const ids = this.#readOnly.map(({ storeId }) => storeId);
    const versions = await lastVersions(db.write, ids);
    const mounts: MountedDirectory[] = [];
    for (const { id, storeId, mountPath } of this.#readOnly) {
      const source = `${disk}/memory-${id}`;
      const directory = await ReadOnlyDirectory.open(source, storeId);
      await directory.refresh(db.write);
      this.#directories.set(storeId, { directory, target: mountPath, version: versions.get(storeId) });
      mounts.push({ source, target: mountPath });
    }
    return mounts;
  }

  async putInPlace(sandbox: Sandbox, { storeId }: RunMemoryStore): Promise<Placement> {
    const store = this.#writable.get(storeId);
    if (store === undefined) return {};
    const fault = await this.#inTurn(() => store.fill(sandbox));
    if (fault === null) return {};
    return { fault: { type: "sandbox_error", message: `The memories could not be written: ${fault}.` } };
  }

  /** Wraps the tools so that the stores are synced before and after each call. */
  around(tools: readonly Tool[]): Tool[] {
    return tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input: tool.input,
      ...(tool.endsItself && { endsItself: true as const }),
      ...(tool.changesFiles && { changesFiles: true as const }),
      // Syncing the stores writes, so the call does not only read.
      ...(tool.readsOnly && this.#target.stores.length === 0 && { readsOnly: true as const }),
      run: (input, context) =>
        this.#aroundCall(
          () => context.sandbox(),
          () => tool.run(input, context),
          context.signal,
        ),
    }));
  }

  /**
   * Stores changes that an interrupted run left on the disk. Without stores opens no sandbox. Never rejects.
   */
  async catchUp(open: () => Promise<Sandbox>, signal = NEVER): Promise<void> {
    try {
      if (this.#writable.size === 0) return;
      const sandbox = await open();
      await this.#inTurn(() => withDeadline(signal, (deadline) => this.#update(sandbox, deadline)));
    } catch (error) {
      this.#deps.log.warn({ err: error }, "memory stores could not be synced");
    }
  }

  /** Stores the changes in the sandbox. Never rejects. */
  async beforeClose(sandbox: Sandbox): Promise<void> {
    if (this.#writable.size > 0) await this.#storeOrReport(sandbox);
  }

  /**
   * Syncs the stores around a call. After an abort the sync ends soon, and the disk's next one continues it.
   */
  async #aroundCall<T>(
    open: () => Promise<Sandbox>,
    call: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    if (this.#target.stores.length === 0) return await call();
    const sandbox = await open();
    await this.#inTurn(() => withDeadline(signal, (deadline) => this.#update(sandbox, deadline)));
    try {
      return await call();
    } finally {
      await this.#storeOrReport(sandbox, signal);
    }
  }

  /** Runs work one at a time, in order, also after a failure. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Brings changes made elsewhere into the sandbox. */
  async #update(sandbox: Sandbox, signal: AbortSignal): Promise<void> {
    const { db } = this.#deps;
    const ids = this.#target.stores.map(({ storeId }) => storeId);
    const versions = await lastVersions(db.write, ids);
    for (const [storeId, store] of this.#writable) {
      if (!store.isCurrent(sandbox, versions.get(storeId)))
        this.#note(await store.sync(sandbox, true, signal));
    }
    for (const [storeId, open] of this.#directories) {
      const version = versions.get(storeId);
      if (open.version === version) continue;
      await open.directory.refresh(db.write);
      await sandbox.refreshDirectory?.(open.target);
      open.version = version;
    }
  }

  /** Creates versions from the changes in the sandbox. The next sync finds what could not be stored. */
  async #storeOrReport(sandbox: Sandbox, signal = NEVER): Promise<void> {
    const store = async (deadline: AbortSignal) => {
      for (const mounted of this.#writable.values())
        if (mounted.wasRead(sandbox)) this.#note(await mounted.sync(sandbox, false, deadline));
    };
    try {
      await this.#inTurn(() => withDeadline(signal, store));
    } catch (error) {
      if (error instanceof LeaseLost) return;
      this.#deps.log.error({ err: error }, "changes in a memory store could not be stored");
      this.#note([
        "What was changed in the memory stores could not be stored yet; it is tried again with the next call.",
      ]);
    }
  }

  #note(faults: readonly string[]): void {
    const rest = faults.length - MAX_FAULTS;
    const lines = [...faults.slice(0, MAX_FAULTS), ...(rest > 0 ? [`And ${rest} more like these.`] : [])];
    if (lines.length > 0) this.#target.notes.push(`[${lines.join("\n")}]`);
  }
}
