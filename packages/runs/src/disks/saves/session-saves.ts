import type { Semaphore } from "@berth/concurrency";
import { recordProcesses, type Sandbox } from "@berth/sandbox";
import { type Lease, savedDisk } from "@berth/store/leases";
import type { RunResource } from "../../inputs/resource-store.ts";
import type { RunLog } from "../../lease/run-log.ts";
import { type SaveDeps, type SaveOutcome, type SaveResult, saveWorkspace } from "./save-workspace.ts";

export interface SavesDeps extends Omit<SaveDeps, "saves"> {
  saves: {
    /** The most bytes of one session's save; null when none is made. */
    maxBytes: number | null;
    /** Limits how many saves are made at once. */
    slots: Semaphore;
  };
  metrics: { workspaceSaved(result: SaveResult, seconds: number): void };
}

export interface SavesTarget {
  lease: Lease;
  runLog: RunLog;
  /** Reads the session's resources as they are now, and the directories that sandboxes may write for them. */
  read(): Promise<{ resources: readonly RunResource[]; writable: string[] }>;
  /** Returns the secrets that commands were given. */
  secrets(): string[];
}

const MEBIBYTE = 1024 * 1024;

/** Saves a session's disk while its lease is held: after commands, before its sandbox is closed. */
export class SessionSaves {
  readonly #deps: SavesDeps;
  readonly #target: SavesTarget;
  #isTouched = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: SavesDeps, target: SavesTarget) {
    this.#deps = deps;
    this.#target = target;
  }

  /** Records that there may be something to save. Called before a command of the agent. */
  touch(): void {
    this.#isTouched = true;
  }

  get isOff(): boolean {
    return this.#deps.saves.maxBytes === null;
  }

  /**
   * Saves the disk. Returns null when there is nothing to save. A save that `signal` stops may run on for a
   * moment, and the next one waits for it. Never rejects.
   */
  async save(sandbox: Sandbox, signal: AbortSignal): Promise<SaveOutcome | null> {
    if (this.isOff || !this.#isTouched) return null;
    return await this.#saveInTurn(sandbox, signal);
  }

  /**
   * Saves the disk before it is given up, unless no call was made since the last save. Returns false when it
   * must be tried again. A disk that is too large to be saved is given up without a save.
   */
  async saveBeforeRemoval(open: () => Promise<Sandbox>, signal: AbortSignal): Promise<boolean> {
    if (this.isOff) return true;
    const last = await savedDisk(this.#deps.db.write, this.#target.lease.sessionId);
    if (last?.lost_calls === 0) return true;
    const outcome = await this.#saveInTurn(await open(), signal);
    return outcome !== "cut" && outcome !== "failed";
  }

  #saveInTurn(sandbox: Sandbox, signal: AbortSignal): Promise<SaveOutcome> {
    const { slots } = this.#deps.saves;
    const saving = this.#last.then(() => slots.run(() => this.#saveNow(sandbox, signal)));
    this.#last = saving;
    return saving;
  }

  async #saveNow(sandbox: Sandbox, signal: AbortSignal): Promise<SaveOutcome> {
    const { saves, metrics, log, ...deps } = this.#deps;
    const { lease, secrets, read } = this.#target;
    if (signal.aborted || saves.maxBytes === null) return "cut";
    const began = performance.now();
    this.#isTouched = false;
    await recordProcesses(sandbox, secrets()).catch(() => undefined);
    const own = { ...deps, log, saves: { maxBytes: saves.maxBytes } };
    const result = await read().then(
      (found) => saveWorkspace(own, { lease, sandbox, signal, ...found }),
      () => ({ outcome: "failed" as const, bytes: 0 }),
    );
    const { outcome, bytes } = result;
    const milliseconds = Math.round(performance.now() - began);
    metrics.workspaceSaved(result, milliseconds / 1_000);
    if (outcome === "cut") this.#isTouched = true;
    await this.#report(outcome, saves.maxBytes).catch(() => undefined);
    log.info({ outcome, bytes, milliseconds }, saveLine(outcome));
    return outcome;
  }

  /** Reports the outcome in the log. The model gets no note: it is told when the disk is lost. */
  async #report(outcome: SaveOutcome, maxBytes: number): Promise<void> {
    const { runLog, lease } = this.#target;
    if (outcome === "saved" || outcome === "cut") return;
    const former = outcome === "partial" ? null : await savedDisk(this.#deps.db.write, lease.sessionId);
    const rest =
      former === null
        ? "Nothing of it is saved."
        : `The workspace that was saved at ${former.saved_at} is kept.`;
    const message = {
      partial: "The workspace was saved, except files that the agent has no permission to read.",
      too_large: `The workspace was not saved, because it is larger than the ${maxBytes / MEBIBYTE} MiB that the operator allows. ${rest}`,
      failed: `The workspace could not be saved. ${rest}`,
    }[outcome];
    const retry_status = { type: "exhausted" as const };
    await runLog.append([
      { event: { type: "session.error", error: { type: "workspace_save_error", message, retry_status } } },
    ]);
  }
}

function saveLine(outcome: SaveOutcome): string {
  return outcome === "saved" || outcome === "partial" ? "workspace saved" : "workspace not saved";
}
