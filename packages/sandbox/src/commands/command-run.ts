import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { NetworkNamespace } from "@berth/egress";
import type { LimitGauge } from "../host/cgroup-gauge.ts";
import type { Command, CommandResult } from "../interface/command.ts";
import { type Ending, endOf, noShell, poll, watch } from "./command-ending.ts";
import { CommandOutput } from "./command-output.ts";
import { exports, freshShell } from "./command-script.ts";
import { FrameReader } from "./frame-reader.ts";
import { killCommand } from "./kill-command.ts";
import { watchLimits } from "./limit-gauge.ts";
import { type Feed, feedBytes, feedPipe, type Pipes, type Slot } from "./pipes.ts";
import type { Marks, Target } from "./process-tree.ts";
import type { Supervisor } from "./supervisor.ts";

/** How long to wait for output after the shell has ended, while another process holds its pipe open. */
const DRAIN_MS = 250;
/** Limit for writing kept output to its file. */
const KEEPING_TIMEOUT_MS = 3_600_000;
const NO_PROCESS = Buffer.from("no process can be started: the sandbox is at its limit\n");

/** What the commands of one sandbox share. */
export interface CommandHost {
  supervisor: Supervisor;
  pipes: Pipes;
  /** Host pid of process 1. */
  init: number;
  network: Pick<NetworkNamespace, "watchDenied">;
  /** Aborted when the sandbox has ended. */
  gone: AbortSignal;
  marks: Marks;
  /** Marks of the commands that are running. */
  running: Set<number>;
  gauge?: LimitGauge;
  /** Ends the sandbox, because a process cannot be killed or leaves no room for others. */
  giveUp(): Promise<void>;
}

/** How a command is given to a shell. */
export interface ShellStart {
  /** Text that the shell reads from the slot's first pipe. */
  text?: (slot: Slot) => string;
  /** Gives the command to the shell once the pipes are open. Returns the shell's pid in the sandbox, null when there is none. */
  start(slot: Slot): Promise<number | null>;
  /** Whether the shell outlives the command. */
  lasting: boolean;
  /** Resolves when a lasting shell has ended. */
  shellGone?: Promise<void>;
}

/** A command without its shell and script, and with its standard input as a feed. */
export type Work = Omit<Command, "stdin" | "shell" | "cwd" | "environment" | "script"> & { feed?: Feed };

export interface Outcome {
  result: CommandResult;
  /** The shell did not outlive the command. */
  shellEnded: boolean;
}

/** A fresh shell for one command. */
export function freshStart(host: CommandHost, parts: Parameters<typeof freshShell>[1]): ShellStart {
  return {
    text: (slot) => freshShell(slot, parts),
    start: (slot) => host.supervisor.request("run", slot.name),
    lasting: false,
  };
}

/** Unguessable text; 128 bits. */
export function newNonce(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Runs one command to its end. Never rejects for what the command does.
 *
 * @param names `helps`: it is a part of another command, and leaves no processes.
 */
export async function runCommand(
  host: CommandHost,
  work: Work,
  names: { mark: number; nonce: string; helps?: true },
  shell: ShellStart,
): Promise<Outcome> {
  const limits = watchLimits(host.gauge, host.init);
  const deniedSince = host.network.watchDenied();
  const startedAt = performance.now();
  const slot = await host.pipes.take();
  const ending = Promise.withResolvers<Ending>();
  const begun = Promise.withResolvers<void>();
  const output = new CommandOutput(work, (script, environment, feed) =>
    runFed(host, { script, exports: exports(environment) }, feed),
  );
  const pipe = host.pipes.read(slot);
  const drained = new Promise<void>((resolve) => pipe.once("close", () => resolve()));
  const frame = new FrameReader(names.nonce, {
    begin: begun.resolve,
    body: (bytes) => output.push(bytes, pipe),
    end: (end) => ending.resolve({ ended: "exit", end }),
  });
  pipe.on("data", (chunk: Buffer) => frame.push(chunk)).on("error", () => {});

  const stopWatching = watch(host, work, ending.resolve);
  const script = shell.text ? host.pipes.write(slot, "in") : null;
  if (script && shell.text) void feedPipe(script, begun.promise, feedBytes(shell.text(slot)));
  const stdin = work.feed ? host.pipes.write(slot, "stdin") : null;
  if (stdin && work.feed) void feedPipe(stdin, begun.promise, work.feed);

  if (!names.helps) host.running.add(names.mark);
  const pid = await shell.start(slot);
  if (pid === null) output.push(NO_PROCESS, pipe);
  const stopPolling =
    pid === null
      ? noShell(host, ending.resolve)
      : poll(host, pid, Promise.race([drained, shell.shellGone ?? drained]), ending.resolve);
  let end = await ending.promise;
  stopPolling();
  stopWatching();
  if (end.ended !== "closed" && host.gone.aborted) end = { ended: "closed" };

  const alone = !names.helps && host.running.size === 1;
  const target = { mark: names.mark, session: pid ?? -1, startedAt, alone };
  const cut = end.ended === "timeout" || end.ended === "aborted";
  if (cut && !(await killCommand(host, target)) && !host.gone.aborted) void host.giveUp();
  const denied = deniedSince();
  const { limit, crowded } = await limits.seen(endOf(end));
  if (crowded && !cut) await makeRoom(host, shell.lasting ? { ...target, spare: pid ?? -1 } : target);
  host.running.delete(names.mark);
  const shellEnded = end.ended !== "exit" || !shell.lasting;
  const toReap = shellEnded && end.ended !== "died" ? pid : null;
  const finished = toReap === null ? Promise.resolve(null) : host.supervisor.request("finish", toReap);
  if (end.ended !== "exit" && end.ended !== "closed") await within(DRAIN_MS, drained);
  frame.flush();
  if (host.gone.aborted && end.ended === "died") end = { ended: "closed" };

  script?.destroy();
  stdin?.destroy();
  void Promise.all([drained, finished]).then(() => host.pipes.release(slot));
  if (shellEnded && !frame.hasBegun) void finished.then(() => pipe.destroy());
  pipe.resume();
  destroyWith(host.gone, pipe);
  const result = await output.result(end, shell.lasting);
  const observed = {
    ...(denied.length > 0 && { denied }),
    ...(limit && { limit }),
    ...(crowded && { cleared: true as const }),
  };
  return { result: { ...result, ...observed }, shellEnded };
}

/**
 * Kills what a command left running. When that is not enough, earlier commands left the rest: unless other commands are
 * running, which may end by themselves, the sandbox is closed, and the next one starts without processes.
 */
async function makeRoom(host: CommandHost, target: Target): Promise<void> {
  const killed = await killCommand(host, target);
  if (!killed || (target.alone && host.gauge?.crowded())) await host.giveUp();
}

/** Runs a script with `feed` as its standard input. True when it exits with 0. */
async function runFed(
  host: CommandHost,
  command: { script: string; exports: string },
  feed: Feed,
): Promise<boolean> {
  const names = { mark: host.marks.next(), nonce: newNonce(), helps: true as const };
  const parts = { ...names, ...command, cwd: "/", fed: true };
  const work = { timeoutMs: KEEPING_TIMEOUT_MS, feed };
  const { result } = await runCommand(host, work, names, freshStart(host, parts));
  return result.exitCode === 0;
}

/** Closes the pipe when the sandbox ends: one that no shell has opened would never end by itself. */
function destroyWith(gone: AbortSignal, pipe: Socket): void {
  const destroy = () => pipe.destroy();
  if (gone.aborted) destroy();
  gone.addEventListener("abort", destroy, { once: true });
  pipe.once("close", () => gone.removeEventListener("abort", destroy));
}

async function within(milliseconds: number, event: Promise<void>): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const handle = setTimeout(timer.resolve, milliseconds);
  await Promise.race([event, timer.promise]);
  clearTimeout(handle);
}
