import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import type { Command, CommandResult } from "../sandbox.ts";
import { freshShell } from "./command-script.ts";
import { type CommandEnd, FrameReader } from "./frame-reader.ts";
import { killCommand } from "./kill-command.ts";
import { OutputSpill } from "./output-spill.ts";
import { OutputWindow } from "./output-window.ts";
import { type Feed, feedBytes, feedPipe } from "./pipe-feeder.ts";
import type { Pipes, Slot } from "./pipes.ts";
import { nowInTicks } from "./process-tree.ts";
import type { Supervisor } from "./supervisor.ts";

const DEFAULT_OUTPUT_BYTES = 102_400;
const POLL_MS = 1000;
/** How long output is awaited of a command whose shell is gone, when something else holds its pipe open. */
const DRAIN_MS = 250;
/** What `wait` says of a child whose status is not known any more. */
const STATUS_LOST = 127;
const KILLED = 137;
const CANNOT_START = 126;
const NO_PROCESS = Buffer.from("no process can be started: the sandbox is at its limit\n");

/** What commands share in one sandbox. */
export interface CommandHost {
  supervisor: Supervisor;
  pipes: Pipes;
  /** Host pid of process 1. */
  init: number;
  /** Aborted when the sandbox is gone. */
  gone: AbortSignal;
  /** Marks of the commands that run now. */
  running: Set<string>;
  /** Ends the sandbox: something inside can no longer be killed. */
  giveUp(): void;
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

type Ending =
  | { ended: "exit"; end: CommandEnd }
  | { ended: "died"; exitCode: number }
  | { ended: "timeout" | "aborted" | "closed" };

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

/** Runs one command to its end, whatever that is. Never rejects for what the command does. */
export async function runCommand(
  host: CommandHost,
  work: Work,
  names: { mark: string; nonce: string },
  shell: ShellStart,
): Promise<Outcome> {
  const startTick = await nowInTicks();
  const slot = await host.pipes.take();
  const ending = Promise.withResolvers<Ending>();
  const begun = Promise.withResolvers<void>();
  const output = new CommandOutput(host, work);
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

  host.running.add(names.mark);
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

  if (end.ended === "timeout" || end.ended === "aborted") {
    const target = { mark: names.mark, session: pid ?? -1, startTick, alone: host.running.size === 1 };
    const killed = await killCommand(host.supervisor, host.init, target);
    if (!killed && !host.gone.aborted) host.giveUp();
  }
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
  return { result: await output.result(end, shell.lasting), shellEnded };
}

/** Closes what is still open when the sandbox is gone: a pipe that no shell has opened would never end by itself. */
function destroyWith(gone: AbortSignal, pipe: Socket): void {
  const destroy = () => pipe.destroy();
  if (gone.aborted) destroy();
  gone.addEventListener("abort", destroy, { once: true });
  pipe.once("close", () => gone.removeEventListener("abort", destroy));
}

/** Reports timeout, abort and the sandbox's end; gives back what stops it. */
function watch(host: CommandHost, work: Work, resolve: (ending: Ending) => void): () => void {
  const timer = setTimeout(() => resolve({ ended: "timeout" }), Math.min(work.timeoutMs, 2 ** 31 - 1));
  const onAbort = () => resolve({ ended: "aborted" });
  const onGone = () => resolve({ ended: "closed" });
  work.signal?.addEventListener("abort", onAbort, { once: true });
  host.gone.addEventListener("abort", onGone, { once: true });
  if (work.signal?.aborted) onAbort();
  if (host.gone.aborted) onGone();
  return () => {
    clearTimeout(timer);
    work.signal?.removeEventListener("abort", onAbort);
    host.gone.removeEventListener("abort", onGone);
  };
}

/**
 * Notices a shell that died without a word: soon after one of its pipes closed, and each second besides, for something
 * that it left may hold them open. A closed pipe alone proves nothing: `exec` closes them, too. Asking has process 1
 * reap orphans as well.
 */
function poll(
  host: CommandHost,
  pid: number,
  pipeClosed: Promise<void>,
  resolve: (ending: Ending) => void,
): () => void {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (wait: number) => {
    clearTimeout(timer);
    const status = await host.supervisor.request("poll", pid);
    if (stopped) return;
    if (status !== null) resolve({ ended: "died", exitCode: status === STATUS_LOST ? KILLED : status });
    else timer = setTimeout(() => void ask(Math.min(2 * wait, POLL_MS)), wait);
  };
  timer = setTimeout(() => void ask(POLL_MS), POLL_MS);
  void pipeClosed.then(() => (stopped ? undefined : ask(2)));
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** The shell could not be started: the sandbox is at its limit of processes, or gone. */
function noShell(host: CommandHost, resolve: (ending: Ending) => void): () => void {
  if (!host.supervisor.gone) resolve({ ended: "died", exitCode: CANNOT_START });
  return () => {};
}

/** Collects what a command writes: the window that comes back, the progress, and the whole in a file when asked. */
class CommandOutput {
  readonly #host: CommandHost;
  readonly #work: Work;
  readonly #window: OutputWindow;
  readonly #limit: number;
  #bytes = 0;
  #spill: OutputSpill | null = null;

  constructor(host: CommandHost, work: Work) {
    this.#host = host;
    this.#work = work;
    this.#limit = work.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
    this.#window = new OutputWindow(this.#limit);
  }

  push(bytes: Buffer, pipe: Socket): void {
    this.#work.onOutput?.(bytes);
    this.#bytes += bytes.length;
    if (this.#work.keepOutput && !this.#spill && this.#bytes > this.#limit) {
      this.#spill = new OutputSpill(this.#host, this.#window.everything());
    }
    this.#spill?.push(bytes, pipe);
    this.#window.push(bytes);
  }

  async result(end: Ending, lasting: boolean): Promise<CommandResult> {
    const outputFile = this.#spill ? await this.#spill.finish() : null;
    const exitCode = end.ended === "exit" ? end.end.exitCode : end.ended === "died" ? end.exitCode : null;
    const cwd = lasting && end.ended === "exit" ? end.end.cwd : null;
    const ended = end.ended === "died" ? "exit" : end.ended;
    return { exitCode, ended, ...this.#window.result(), outputFile, cwd };
  }
}

async function within(milliseconds: number, event: Promise<void>): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const handle = setTimeout(timer.resolve, milliseconds);
  await Promise.race([event, timer.promise]);
  clearTimeout(handle);
}
