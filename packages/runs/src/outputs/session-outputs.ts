import { setTimeout as pause } from "node:timers/promises";
import { LeaseLost } from "@berth/agent";
import { orAborted } from "@berth/concurrency";
import { type Sandbox, SandboxError } from "@berth/sandbox";
import { DatabaseUnavailableError } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import type { Logger } from "pino";
import type { RunLog } from "../lease/run-log.ts";
import { LOOK_MS, withDeadline } from "../sandbox-io/scan-deadline.ts";
import { type Collection, collectOutputs } from "./collect-outputs.ts";
import type { CollectDeps } from "./collecting.ts";
import { areOutputsDue, markOutputsDue } from "./output-store.ts";
import type { OutputLimits } from "./plan-outputs.ts";

export interface OutputDeps extends CollectDeps {
  /** The most bytes of one file. */
  outputFileBytes: number;
  log: Logger;
}

export interface OutputTarget {
  lease: Lease;
  runLog: RunLog;
  notes: string[];
  /** Returns the open sandbox, or opens one. Returns null when that waits for a place for too long. */
  open(): Promise<Sandbox | null>;
  /** As `open`, but a new sandbox is not announced, and nothing is put in place in it. */
  openBare(): Promise<Sandbox>;
}

const MAX_FILES = 1_000;
/** The most bytes that one collection reads, as a multiple of the largest file's. */
const TOTAL_FILES = 4;
const REMOVAL_MS = 600_000;
const MAX_FAULTS = 20;
/** The result when no sandbox was open in time. Another try at once would find none either. */
const NOT_OPEN: Collection = { state: "cut", faults: [] };
const RETRY_WAITS_MS = [0, 250, 500, 1_000, 2_000, 4_000];

/** Collects the outputs of a session while its lease is held, and reports those that could not be kept. */
export class SessionOutputs {
  readonly #deps: OutputDeps;
  readonly #target: OutputTarget;
  readonly #limits: OutputLimits;
  readonly #reported = new Set<string>();
  /** Set once there may be outputs to collect. */
  #marking: Promise<void> | undefined;

  constructor(deps: OutputDeps, target: OutputTarget) {
    const { outputFileBytes: fileBytes } = deps;
    this.#deps = deps;
    this.#target = target;
    this.#limits = { files: MAX_FILES, fileBytes, totalBytes: TOTAL_FILES * fileBytes };
  }

  /** Records that there may be outputs to collect. Called before a command of the agent. */
  async touch(): Promise<void> {
    this.#marking ??= markOutputsDue(this.#deps.db.write, this.#target.lease, true);
    await this.#marking.catch((error) => {
      this.#marking = undefined;
      throw error;
    });
  }

  /**
   * Collects before a turn ends, if commands ran in it, or may have run in a turn that a former run began. A
   * failure to collect does not fail the turn.
   */
  async atTurnEnd(resumed: boolean, signal: AbortSignal): Promise<void> {
    const { open } = this.#target;
    if (this.#marking === undefined && !(resumed && (await this.#areDue()))) return;
    await withDeadline(signal, async (deadline) => void (await this.#collect(open, this.#limits, deadline)));
  }

  /** Collects before the sandbox is closed. The caller calls the returned function once it is closed. */
  async beforeClose(sandbox: Sandbox): Promise<() => Promise<void>> {
    if (this.#marking === undefined) return async () => undefined;
    const state = await this.#collect(async () => sandbox, this.#limits, AbortSignal.timeout(LOOK_MS));
    return async () => {
      this.#marking = undefined;
      if (state === "whole") await markOutputsDue(this.#deps.db.write, this.#target.lease, false);
    };
  }

  /** Collects before the disk is removed. Returns false when the removal may lose outputs. */
  async beforeRemoval(): Promise<boolean> {
    if (!(await this.#areDue())) return true;
    const limits = { ...this.#limits, totalBytes: Number.POSITIVE_INFINITY };
    const { openBare } = this.#target;
    return (await this.#collect(openBare, limits, AbortSignal.timeout(REMOVAL_MS))) !== "cut";
  }

  async #areDue(): Promise<boolean> {
    return await areOutputsDue(this.#deps.db.write, this.#target.lease);
  }

  async #collect(
    open: () => Promise<Sandbox | null>,
    limits: OutputLimits,
    signal: AbortSignal,
  ): Promise<Collection["state"]> {
    const { lease } = this.#target;
    try {
      const collectIn = async () => {
        const sandbox = await orNull(open(), signal);
        return sandbox === null
          ? NOT_OPEN
          : await collectOutputs(this.#deps, { lease, sandbox, limits, signal });
      };
      const { state, faults } = await untilNotCut(collectIn, signal);
      await this.#report(state === "cut" ? [...faults, "not all files could be read in time"] : faults);
      return state;
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof DatabaseUnavailableError) throw error;
      this.#deps.log.error({ err: error }, "outputs could not be collected");
      // A sandbox that could not be opened is already in the session's log.
      if (!(error instanceof SandboxError)) await this.#report(["the service could not store them"]);
      return "cut";
    }
  }

  /** Reports each fault once while the session is held. */
  async #report(faults: readonly string[]): Promise<void> {
    const { notes, runLog } = this.#target;
    const fresh = faults.filter((fault) => !this.#reported.has(fault));
    if (fresh.length === 0) return;
    for (const fault of fresh) this.#reported.add(fault);
    const rest = fresh.length - MAX_FAULTS;
    const list = fresh.slice(0, MAX_FAULTS).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
    const message = this.#deps.mask(
      `Some files in /mnt/session/outputs were not saved as they are: ${list}.`,
    );
    notes.push(`[${message}]`);
    const error = { type: "outputs_error" as const, message, retry_status: { type: "terminal" as const } };
    await runLog.append([{ event: { type: "session.error", error } }]);
  }
}

/** Resolves with null when the signal aborts first. */
async function orNull<T>(step: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return await orAborted(step, signal).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
}

/**
 * Retries at once and then after growing waits. Processes that the turn left running may have ended the
 * sandbox; the next sandbox does not have them. They may also leave no room for another process.
 */
async function untilNotCut(collect: () => Promise<Collection>, signal: AbortSignal): Promise<Collection> {
  let collection = await collect();
  for (const wait of RETRY_WAITS_MS) {
    if (collection.state !== "cut" || collection === NOT_OPEN || signal.aborted) break;
    await pause(wait);
    collection = await collect();
  }
  return collection;
}
