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
import type { Marks } from "./marks.ts";
import { type Feed, feedBytes, feedPipe } from "./pipe-feeder.ts";
import type { Pipes, Slot } from "./pipes.ts";
import type { Target } from "./process-tree.ts";
import type { Supervisor } from "./supervisor.ts";

/** How long output is awaited of a command whose shell is gone, when something else holds its pipe open. */
const DRAIN_MS = 250;
/** What writing kept output to its file may take. */
const KEEPING_TIMEOUT_MS = 3_600_000;
const NO_PROCESS = Buffer.from("no process can be started: the sandbox is at its limit\n");

/** What commands share in one sandbox. */
export interface CommandHost {
  supervisor: Supervisor;
  pipes: Pipes;
  /** Host pid of process 1. */
  init: number;
  network: Pick<NetworkNamespace, "watchDenied">;
  /** Aborted when the sandbox is gone. */
  gone: AbortSignal;
  marks: Marks;
  /** Marks of the commands that run now. */
  running: Set<number>;
  gauge?: LimitGauge;
  /** Ends the sandbox: something inside can no longer be killed, or leaves no room for anything else. */
  giveUp(): Promise<void>;
}

/** How a command reaches a shell. */
export interface ShellStart {
  /** What the shell reads from the slot's first pipe, if it does. */
  text?: (slot: Slot) => string;
  /** Gives the command to the shell once the pipes are open; the pid inside of the shell, null when there is none. */
  start(slot: Slot): Promise<number | null>;
  /** Whether the shell outlives the command. */
  lasting: boolean;
  /** Resolves when a lasting shell is gone. */
  shellGone?: Promise<void>;
}

/** A command with its standard input as a feed and no limits that only callers need. */
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
 * Runs one command to its end, whatever that is. Never rejects for what the command does.
 *
 * @param names `helps`: it is a part of another one, and leaves nothing behind.
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
  const told = {
    ...(denied.length > 0 && { denied }),
    ...(limit && { limit }),
    ...(crowded && { cleared: true as const }),
  };
  return { result: { ...result, ...told }, shellEnded };
}

/**
 * Stops what a command has left running. Where that is not enough, what earlier ones have left takes the room: unless others
 * run that may end by themselves, the sandbox ends, and the next one begins empty.
 */
async function makeRoom(host: CommandHost, target: Target): Promise<void> {
  const killed = await killCommand(host, target);
  if (!killed || (target.alone && host.gauge?.crowded())) await host.giveUp();
}

/** Runs a script that reads `feed`, for output that is kept; true when it did all of it. */
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

/** Closes what is still open when the sandbox is gone: a pipe that no shell has opened would never end by itself. */
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
