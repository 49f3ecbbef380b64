import type { EgressPolicy, NetworkNamespace } from "@berth/egress";
import { FilePlacer } from "../inside/place-file.ts";
import type { Uploads } from "../inside/uploads.ts";
import type { Command, CommandResult } from "../interface/command.ts";
import { SandboxError } from "../interface/errors.ts";
import type { PortConnection } from "../interface/port-connection.ts";
import type { Grace, Sandbox } from "../interface/sandbox.ts";
import type { MountedFile, MountedSnapshot } from "../interface/spec.ts";
import { quote } from "../scripts/quote.ts";
import { type CommandDeps, freshStart, newNonce, runCommand, type Work } from "./command-run.ts";
import { exports, togetherShell } from "./command-script.ts";
import { feedBytes, feedStream } from "./feed-pipe.ts";
import type { LimitGauge } from "./limit-gauge.ts";
import { Marks } from "./marks.ts";
import { closedResult, NamedShell } from "./named-shell.ts";
import type { CommandPipes } from "./pipes.ts";
import { connectToPort, type RunRelay } from "./port-stream.ts";
import type { SandboxProcess, SandboxView } from "./sandbox-view.ts";
import { SharedStart } from "./shared-start.ts";
import { SpareShell, type WaitingShell } from "./spare-shell.ts";
import type { Supervisor } from "./supervisor.ts";
import { terminateProcesses } from "./terminate-processes.ts";

/** The collaborators of a running sandbox, whatever its engine. */
export interface LivingDeps {
  id: string;
  view: SandboxView;
  supervisor: Supervisor;
  pipes: CommandPipes;
  /** Absent when the engine cannot tell which limit a command hit. */
  gauge?: LimitGauge;
  network: Pick<NetworkNamespace, "setPolicy" | "watchDenied">;
  uploads: Uploads;
  /** Writable directories of the sandbox. */
  writable: readonly string[];
  /** Paths, in the sandbox, of files that are mounts. */
  mounted: readonly string[];
  /** Absent when the engine mounts no snapshots. */
  snapshots?: {
    mount(snapshot: MountedSnapshot, changes: "fresh" | "kept"): Promise<boolean>;
    unmount(target: string): Promise<boolean>;
  };
}

const SET_UP_TIMEOUT_MS = 20_000;
/** The most connections to ports of one sandbox. */
const MAX_CONNECTIONS = 40;

/** Directories and files that only processes in the sandbox may create. */
export interface SetUp {
  /** Writable directories below other writable ones. */
  nested: readonly string[];
  /** Files in directories that the agent can write. */
  later: readonly MountedFile[];
}

/**
 * A running sandbox: runs commands and places files through its process 1. A subclass per engine defines how
 * it ends.
 */
export abstract class LivingSandbox implements Sandbox {
  readonly id: string;
  readonly closed: Promise<void>;
  readonly #deps: LivingDeps;
  readonly #closed = Promise.withResolvers<void>();
  readonly #gone = new AbortController();
  readonly #commandDeps: CommandDeps;
  readonly #spare: SpareShell;
  readonly #shells = new Map<string, NamedShell>();
  readonly #files: FilePlacer;
  /** Marks of the relays that run, with the functions that end them. */
  readonly #relays = new Map<number, { end: () => void; ended: Promise<void> }>();
  #closing: Promise<void> | null = null;

  constructor(deps: LivingDeps) {
    this.id = deps.id;
    this.#deps = deps;
    this.#commandDeps = {
      supervisor: deps.supervisor,
      pipes: deps.pipes,
      view: deps.view,
      network: deps.network,
      gone: this.#gone.signal,
      running: new Set(),
      marks: new Marks(),
      giveUp: () => this.close().catch(() => {}),
      ...(deps.gauge === undefined ? {} : { gauge: deps.gauge }),
    };
    this.#spare = new SpareShell(this.#commandDeps);
    this.#files = new FilePlacer(deps, (command, stdin) =>
      this.#runFresh(command, { ...command, ...(stdin === undefined ? {} : { feed: feedStream(stdin) }) }),
    );
    this.closed = this.#closed.promise;
  }

  get isEnding(): boolean {
    return this.#gone.signal.aborted;
  }

  run(command: Command): Promise<CommandResult> {
    return this.#unlessGone(() => this.#run(command));
  }

  runTogether(commands: readonly Command[]): Promise<CommandResult>[] {
    const start = new SharedStart(this.#commandDeps, this.#spare, commands.length);
    return commands.map((command) => this.#unlessGone(() => this.#runIn(start, command)));
  }

  async #unlessGone(run: () => Promise<CommandResult>): Promise<CommandResult> {
    if (this.#gone.signal.aborted) return closedResult();
    try {
      return await run();
    } catch (error) {
      // The sandbox ended before the command began.
      if (this.#gone.signal.aborted) return closedResult();
      throw error;
    }
  }

  async #run(command: Command): Promise<CommandResult> {
    const { shell } = command;
    const work = workOf(command);
    if (shell === undefined) return this.#runFresh(command, work);
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(shell)) throw new SandboxError("not a name for a shell");
    const named = this.#shells.get(shell) ?? new NamedShell(this.#commandDeps, shell);
    this.#shells.set(shell, named);
    return named.run(command, work);
  }

  /** Makes directories and places files. Rejects with `SandboxError` when one cannot be made or placed. */
  async setUp({ nested, later }: SetUp): Promise<void> {
    if (nested.length > 0) {
      const script = `mkdir -p -- ${nested.map(quote).join(" ")}`;
      const { exitCode, output } = await this.run({ script, timeoutMs: SET_UP_TIMEOUT_MS });
      if (exitCode !== 0) throw new SandboxError(`a directory could not be made: ${Buffer.from(output)}`);
    }
    for (const file of later) {
      if (await this.placeFile(file)) continue;
      // When the disk is full, a file that was placed earlier is enough.
      const script = `[ -f ${quote(file.target)} ]`;
      const { exitCode } = await this.run({ script, timeoutMs: SET_UP_TIMEOUT_MS });
      if (exitCode !== 0) throw new SandboxError(`${file.target} could not be placed`);
    }
  }

  placeFile(file: MountedFile): Promise<boolean> {
    return this.#gone.signal.aborted ? Promise.resolve(false) : this.#files.place(file);
  }

  removeFile(target: string): Promise<boolean> {
    return this.#gone.signal.aborted ? Promise.resolve(false) : this.#files.remove(target);
  }

  async mountSnapshot(snapshot: MountedSnapshot, changes: "fresh" | "kept" = "fresh"): Promise<boolean> {
    if (this.#gone.signal.aborted) return false;
    return (await this.#deps.snapshots?.mount(snapshot, changes)) ?? false;
  }

  async unmountSnapshot(target: string): Promise<boolean> {
    if (this.#gone.signal.aborted) return false;
    return (await this.#deps.snapshots?.unmount(target)) ?? false;
  }

  async isUntouched(directory: string): Promise<boolean> {
    return (await this.#deps.view.isUntouched(directory)) && !this.#gone.signal.aborted;
  }

  async connect(port: number): Promise<PortConnection> {
    if (this.#gone.signal.aborted) return { ok: false, reason: "gone" };
    if (this.#relays.size >= MAX_CONNECTIONS) return { ok: false, reason: "full" };
    try {
      return await connectToPort(this.#runRelay, port);
    } catch (error) {
      if (this.#gone.signal.aborted) return { ok: false, reason: "gone" };
      throw error;
    }
  }

  setEgress(policy: EgressPolicy): void {
    if (!this.#gone.signal.aborted) this.#deps.network.setPolicy(policy);
  }

  async processes(): Promise<number> {
    if (this.#gone.signal.aborted) return 0;
    const isOfAgent = await this.#isOfAgent();
    return (await this.#deps.view.processes()).filter(isOfAgent).length;
  }

  async terminate(grace: Grace): Promise<void> {
    const relays = [...this.#relays.values()];
    for (const relay of relays) relay.end();
    await Promise.all(relays.map(({ ended }) => ended));
    if (!this.#gone.signal.aborted) await terminateProcesses(this.#deps, await this.#isOfAgent(), grace);
  }

  /** Returns a function that tells whether a process is neither a shell that waits for commands, nor a relay. */
  async #isOfAgent(): Promise<(process: SandboxProcess) => boolean> {
    // Process 1 answers in order: by then the shells of commands that have ended are gone.
    await this.#deps.supervisor.request("reap");
    const pids = [await this.#spare.pid(), ...[...this.#shells.values()].map(({ pid }) => pid)];
    const { marks } = this.#commandDeps;
    return ({ insidePid, fileLocks }) => {
      const mark = marks.known(fileLocks);
      return !pids.includes(insidePid) && (mark === null || !this.#relays.has(mark));
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close().finally(this.#closed.resolve);
    return this.#closing;
  }

  /** Kills all processes of the sandbox without waiting for them, and releases its resources. Called once. */
  protected abstract release(): Promise<void>;

  #close(): Promise<void> {
    this.#gone.abort();
    this.#deps.supervisor.end();
    return this.release();
  }

  /**
   * Runs a command in the spare shell, if there is one. When that shell died before the command began, uses
   * another.
   */
  async #runFresh(command: Command, work: Work): Promise<CommandResult> {
    const { mark, nonce, ...parts } = this.#partsOf(command, work);
    const run = (waiting?: WaitingShell) =>
      runCommand(
        this.#commandDeps,
        work,
        { mark, nonce },
        freshStart(this.#commandDeps, { mark, nonce, ...parts }, waiting),
      );
    const waiting = isRepeatable(command, work) ? this.#spare.take() : undefined;
    const tried = await run(waiting);
    const { result } = waiting !== undefined && tried.neverBegan ? await run() : tried;
    if (result.limit === undefined) this.#spare.prepare();
    return result;
  }

  /** Runs a relay beside the agent's commands: it is none of them when one is killed. */
  readonly #runRelay: RunRelay = async (script, work) => {
    const names = { mark: this.#commandDeps.marks.next(), nonce: newNonce(), helps: true as const };
    const parts = { ...names, exports: "", script, cwd: "/", fed: true };
    const [end, ended] = [new AbortController(), Promise.withResolvers<void>()];
    this.#relays.set(names.mark, { end: () => end.abort(), ended: ended.promise });
    const signal = work.signal === undefined ? end.signal : AbortSignal.any([work.signal, end.signal]);
    try {
      const start = freshStart(this.#commandDeps, parts, this.#spare.take());
      return (await runCommand(this.#commandDeps, { ...work, signal }, names, start)).result;
    } finally {
      this.#relays.delete(names.mark);
      ended.resolve();
      this.#spare.prepare();
    }
  };

  async #runIn(start: SharedStart, command: Command): Promise<CommandResult> {
    let isAdded = false;
    try {
      const work = workOf(command);
      const parts = this.#partsOf(command, work);
      const { result, neverBegan } = await runCommand(this.#commandDeps, work, parts, {
        lasting: false,
        orphan: true,
        start: (slot, reported) => {
          isAdded = true;
          start.add(togetherShell(slot, parts));
          return Promise.race([reported, start.failed]);
        },
      });
      if (neverBegan && isRepeatable(command, work)) return await this.#runFresh(command, work);
      if (result.limit === undefined) this.#spare.prepare();
      return result;
    } finally {
      if (!isAdded) start.leaveOut();
    }
  }

  #partsOf(command: Command, work: Work) {
    return {
      mark: this.#commandDeps.marks.next(),
      nonce: newNonce(),
      exports: exports(command.environment ?? {}),
      script: command.script,
      cwd: command.cwd ?? "/data",
      fed: work.feed !== undefined,
    };
  }
}

/** Returns whether the command can start again; input that comes from a stream cannot be sent twice. */
function isRepeatable({ stdin, stdinStream }: Command, { feed }: Work): boolean {
  return feed === undefined || (stdin !== undefined && stdinStream === undefined);
}

function workOf(command: Command): Work {
  const { script, shell, cwd, environment, secrets, stdin, stdinStream, ...rest } = command;
  if (script.includes("\0")) throw new SandboxError("the script holds a NUL");
  const feed = stdinStream ? feedStream(stdinStream) : stdin && feedBytes(stdin);
  return feed ? { ...rest, feed } : rest;
}
