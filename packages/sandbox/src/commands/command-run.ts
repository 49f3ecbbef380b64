import { randomBytes } from "node:crypto";
import type { NetworkNamespace } from "@berth/egress";
import type { Command, CommandResult } from "../interface/command.ts";
import { type Ending, endOf, watch } from "./command-ending.ts";
import { CommandOutput } from "./command-output.ts";
import { exports, freshShell } from "./command-script.ts";
import { CommandStreams } from "./command-streams.ts";
import type { Feed } from "./feed-pipe.ts";
import { killCommand } from "./kill-command.ts";
import { type LimitGauge, watchLimits } from "./limit-gauge.ts";
import type { Marks } from "./marks.ts";
import type { CommandPipes, OpenSlot, Slot } from "./pipes.ts";
import type { Target } from "./processes-of-command.ts";
import type { SandboxView } from "./sandbox-view.ts";
import type { WaitingShell } from "./spare-shell.ts";
import type { Supervisor } from "./supervisor.ts";

/** Milliseconds for writing kept output to its file. */
const KEEPING_TIMEOUT_MS = 3_600_000;

/** Objects that the commands of one sandbox share. */
export interface CommandDeps {
  supervisor: Supervisor;
  pipes: CommandPipes;
  view: SandboxView;
  network: Pick<NetworkNamespace, "watchDenied">;
  /** Aborts when the sandbox has ended. */
  gone: AbortSignal;
  marks: Marks;
  /** Marks of the running commands. */
  running: Set<number>;
  gauge?: LimitGauge;
  /** Ends the sandbox, because a process cannot be killed or leaves no room for others. */
  giveUp(): Promise<void>;
}

/** The way in which a command is passed to a shell. */
export interface ShellStart {
  /** The shell, when it was started ahead. Its pipes are those of the command. */
  waiting?: WaitingShell | undefined;
  /** Returns the text that the shell reads from the slot's first pipe. */
  text?: (slot: Slot) => string;
  /**
   * Passes the command to the shell once the pipes are open. Returns the shell's pid in the sandbox, or null
   * when no shell could start.
   *
   * @param reported The pid that the shell reports; see `CommandStreams.shellPid`.
   */
  start(slot: Slot, reported: Promise<number | null>): Promise<number | null>;
  /** Whether the shell outlives the command. */
  lasting: boolean;
  /** Resolves when a lasting shell has ended. */
  shellGone?: Promise<void>;
  /** Set when the shell never is a child of process 1: it ends by itself and is reaped like any orphan. */
  orphan?: true;
}

/** A command without its shell and script, with its standard input as a feed. */
export type Work = Omit<
  Command,
  "stdin" | "stdinStream" | "shell" | "aside" | "cwd" | "environment" | "script"
> & {
  feed?: Feed;
};

/** The outcome of `runCommand`. */
export interface Outcome {
  result: CommandResult;
  /** Whether the shell has ended with the command. */
  shellEnded: boolean;
  /** Whether the shell died before it read the command, so that nothing of it has run. */
  neverBegan: boolean;
}

/** Returns the start of one command in a fresh shell, or in `waiting` when given. */
export function freshStart(
  deps: CommandDeps,
  parts: Parameters<typeof freshShell>[1],
  waiting?: WaitingShell,
): ShellStart {
  return {
    waiting,
    text: (slot) => freshShell(slot, parts),
    start: async (slot) => waiting?.pid ?? (await deps.supervisor.request("run", slot.name)),
    lasting: false,
  };
}

/** Rare in output. Output that ends with it is held back until more arrives, since it may begin the nonce. */
const RECORD_SEPARATOR = "\x1e";

/** Returns an unguessable text of 128 bits, which a shell reads as one word. */
export function newNonce(): string {
  return `${RECORD_SEPARATOR}${randomBytes(16).toString("hex")}`;
}

/**
 * Runs one command to its end. Never rejects for what the command does.
 *
 * @param names `helps` is set for a part of another command, which leaves no processes.
 */
export async function runCommand(
  deps: CommandDeps,
  work: Work,
  names: { mark: number; nonce: string; helps?: true },
  shell: ShellStart,
): Promise<Outcome> {
  const limits = watchLimits(deps.gauge, deps.view);
  const deniedSince = deps.network.watchDenied();
  const startedAt = performance.now();
  const output = new CommandOutput(work, (script, environment, feed) =>
    runFed(deps, { script, exports: exports(environment) }, feed),
  );
  const ending = Promise.withResolvers<Ending>();
  const open = shell.waiting ?? (await openSlot(deps.pipes));
  const streams = new CommandStreams(deps, open, output, names.nonce, ending.resolve);
  const stopWatching = watch(deps, work, ending.resolve);
  streams.feed(shell.text?.(streams.slot), work.feed);
  if (!names.helps) deps.running.add(names.mark);
  const pid = await shell.start(streams.slot, streams.shellPid);
  const stopPolling = streams.watchShell(pid, ending.resolve, shell.shellGone);
  let end = await ending.promise;
  stopPolling();
  stopWatching();
  if (end.ended !== "closed" && deps.gone.aborted) end = { ended: "closed" };

  const alone = !names.helps && deps.running.size === 1;
  const target = { mark: names.mark, session: pid ?? -1, startedAt, alone };
  const cut = end.ended === "timeout" || end.ended === "aborted";
  if (cut && !(await killCommand(deps, target)) && !deps.gone.aborted) void deps.giveUp();
  const denied = deniedSince();
  const { limit, crowded } = await limits.seen(endOf(end));
  if (crowded && !cut) await makeRoom(deps, shell.lasting ? { ...target, spare: pid ?? -1 } : target);
  deps.running.delete(names.mark);
  const shellEnded = end.ended !== "exit" || !shell.lasting;
  end = await streams.close(end, shellEnded && !shell.orphan ? pid : null, shellEnded);
  const observed = {
    ...(denied.length > 0 && { denied }),
    ...(limit && { limit }),
    ...(crowded && { cleared: true as const }),
  };
  const neverBegan = end.ended === "died" && !streams.hasBegun;
  return { result: { ...(await output.result(end, shell.lasting)), ...observed }, shellEnded, neverBegan };
}

async function openSlot(pipes: CommandPipes): Promise<OpenSlot> {
  const slot = await pipes.take();
  return { slot, output: pipes.read(slot) };
}

/**
 * Kills the processes that a command left running. When that is not enough, they were left by earlier
 * commands. The sandbox is then closed, so that the next one starts without processes, unless other commands
 * still run.
 */
async function makeRoom(deps: CommandDeps, target: Target): Promise<void> {
  const killed = await killCommand(deps, target);
  if (!killed || (target.alone && deps.gauge?.crowded())) await deps.giveUp();
}

/** Runs a script with `feed` as its standard input. Returns whether it exited with 0. */
async function runFed(
  deps: CommandDeps,
  command: { script: string; exports: string },
  feed: Feed,
): Promise<boolean> {
  const names = { mark: deps.marks.next(), nonce: newNonce(), helps: true as const };
  const parts = { ...names, ...command, cwd: "/", fed: true };
  const work = { timeoutMs: KEEPING_TIMEOUT_MS, feed };
  const { result } = await runCommand(deps, work, names, freshStart(deps, parts));
  return result.exitCode === 0;
}
