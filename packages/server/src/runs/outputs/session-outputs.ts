import { LeaseLost } from "@berth/agent";
import { type Sandbox, SandboxError } from "@berth/sandbox";
import type { Logger } from "pino";
import { DatabaseUnavailableError } from "../../db/database-error.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import { LOOK_MS, withDeadline } from "../sandbox-io/scan-deadline.ts";
import { type Collection, type CollectParts, collectOutputs } from "./collect-outputs.ts";
import { areOutputsDue, markOutputsDue } from "./output-store.ts";
import type { OutputLimits } from "./plan-outputs.ts";

/** Collects the outputs of a session while its lease is held, and tells what could not be kept. */
export interface SessionOutputs {
  /** Called before a command of the agent: from now on there may be something to collect. */
  touch(): Promise<void>;
  /** Before a turn ends, when commands ran in it; in a turn that a former run began, when they may have. Never fails it. */
  atTurnEnd(resumed: boolean, signal: AbortSignal): Promise<void>;
  /** Before the sandbox is closed. The answer is called when it is. */
  beforeClose(sandbox: Sandbox): Promise<() => Promise<void>>;
  /** Before the disk is removed; false: something may be lost by that. */
  beforeRemoval(): Promise<boolean>;
}

export interface OutputParts extends CollectParts {
  /** Bytes that one file may have. */
  outputFileBytes: number;
  mask(text: string): string;
  log: Logger;
}

export interface OutputTarget {
  lease: Lease;
  runLog: RunLog;
  notes: string[];
  /** The open sandbox, or a new one. */
  open(): Promise<Sandbox>;
  /** The same, of which nothing is told, and in which nothing is put in place. */
  openBare(): Promise<Sandbox>;
}

const MOST_FILES = 1_000;
/** What is read at the end of one turn, in sizes of the largest file. */
const TOTAL_FILES = 4;
const REMOVAL_MS = 600_000;
const MOST_FAULTS = 20;

export function createSessionOutputs(parts: OutputParts, target: OutputTarget): SessionOutputs {
  const { lease, runLog, notes } = target;
  const told = new Set<string>();
  const limits = {
    files: MOST_FILES,
    fileBytes: parts.outputFileBytes,
    totalBytes: TOTAL_FILES * parts.outputFileBytes,
  };
  let marking: Promise<void> | undefined;

  async function collect(
    open: () => Promise<Sandbox>,
    limits: OutputLimits,
    signal: AbortSignal,
  ): Promise<Collection["state"]> {
    try {
      const collectIn = async () =>
        await collectOutputs(parts, { lease, sandbox: await open(), limits, signal });
      const first = await collectIn();
      // What the commands of the turn have left may have ended the sandbox; the next one is empty of it.
      const { state, faults } = first.state === "cut" && !signal.aborted ? await collectIn() : first;
      await tell(state === "cut" ? [...faults, "not everything could be read in time"] : faults);
      return state;
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof DatabaseUnavailableError) throw error;
      parts.log.error({ err: error, session: lease.sessionId }, "outputs could not be collected");
      // That no sandbox could be opened is in the log already.
      if (!(error instanceof SandboxError)) await tell(["the service could not store them"]);
      return "cut";
    }
  }

  /** The same is told once while the session is held. */
  async function tell(faults: readonly string[]): Promise<void> {
    const news = faults.filter((fault) => !told.has(fault));
    if (news.length === 0) return;
    for (const fault of news) told.add(fault);
    const rest = news.length - MOST_FAULTS;
    const list = news.slice(0, MOST_FAULTS).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
    const message = parts.mask(
      `Of the files in /mnt/session/outputs, not all were kept as they are: ${list}.`,
    );
    notes.push(`[${message}]`);
    const error = { type: "outputs_error" as const, message, retry_status: { type: "terminal" as const } };
    await runLog.append([{ event: { type: "session.error", error } }]);
  }

  return {
    async touch() {
      marking ??= markOutputsDue(parts.db.write, lease, true);
      await marking.catch((error) => {
        marking = undefined;
        throw error;
      });
    },
    async atTurnEnd(resumed, signal) {
      if (marking === undefined && !(resumed && (await areOutputsDue(parts.db.write, lease)))) return;
      await withDeadline(signal, async (deadline) => void (await collect(target.open, limits, deadline)));
    },
    async beforeClose(sandbox) {
      if (marking === undefined) return async () => undefined;
      const state = await collect(async () => sandbox, limits, AbortSignal.timeout(LOOK_MS));
      return async () => {
        marking = undefined;
        if (state === "whole") await markOutputsDue(parts.db.write, lease, false);
      };
    },
    async beforeRemoval() {
      if (!(await areOutputsDue(parts.db.write, lease))) return true;
      const all = { ...limits, totalBytes: Number.POSITIVE_INFINITY };
      return (await collect(target.openBare, all, AbortSignal.timeout(REMOVAL_MS))) !== "cut";
    },
  };
}
