import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type CommandHost, freshStart, newNonce, runCommand, type Work } from "../commands/command-run.ts";
import { exports } from "../commands/command-script.ts";
import { closedResult, NamedShell } from "../commands/named-shell.ts";
import { feedBytes } from "../commands/pipe-feeder.ts";
import type { Pipes } from "../commands/pipes.ts";
import type { Supervisor } from "../commands/supervisor.ts";
import type { NetworkNamespace } from "../egress/egress.ts";
import {
  type Command,
  type CommandResult,
  type EgressPolicy,
  type MountedFile,
  type Sandbox,
  SandboxError,
} from "../sandbox.ts";
import type { Cgroup } from "./cgroups.ts";
import { FilePlacer } from "./place-file.ts";

const LONGEST_EXIT_MS = 1000;

/** Everything of a sandbox that has to be released. */
export interface SandboxParts {
  id: string;
  child: ChildProcess;
  init: number;
  supervisor: Supervisor;
  pipes: Pipes;
  cgroup: Cgroup;
  network: NetworkNamespace;
  /** Host directory of its own, outside the disk, that goes with it. */
  directory: string;
  /** Host directory that is mounted as uploads. */
  uploads: string;
  /** Writable places inside. */
  writable: readonly string[];
  /** Paths inside of the files that have a mount each. */
  mounted: readonly string[];
  /** Called when all of this is gone. */
  released(): void;
}

/** A living sandbox. */
export class BubblewrapSandbox implements Sandbox {
  readonly id: string;
  readonly closed: Promise<void>;
  readonly #parts: SandboxParts;
  readonly #closed = Promise.withResolvers<void>();
  readonly #gone = new AbortController();
  readonly #host: CommandHost;
  readonly #shells = new Map<string, NamedShell>();
  readonly #files: FilePlacer;
  #closing: Promise<void> | null = null;

  constructor(parts: SandboxParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#host = {
      supervisor: parts.supervisor,
      pipes: parts.pipes,
      init: parts.init,
      gone: this.#gone.signal,
      running: new Set(),
      giveUp: () => void this.close().catch(() => {}),
    };
    this.#files = new FilePlacer(parts, (command, feed) =>
      this.#runFresh(command, { ...command, ...(feed === undefined ? {} : { feed }) }),
    );
    this.closed = this.#closed.promise;
    parts.child.once("exit", () => this.close().catch(() => {}));
    if (hasExited(parts.child)) this.close().catch(() => {});
  }

  async run(command: Command): Promise<CommandResult> {
    if (this.#gone.signal.aborted) return closedResult();
    const { script, shell, cwd, environment, stdin, ...rest } = command;
    const work: Work = stdin ? { ...rest, feed: feedBytes(stdin) } : rest;
    if (script.includes("\0")) throw new SandboxError("the script holds a NUL");
    if (shell === undefined) return this.#runFresh(command, work);
    const named = this.#shells.get(shell) ?? new NamedShell(this.#host);
    this.#shells.set(shell, named);
    return named.run(command, work);
  }

  placeFile(file: MountedFile): Promise<boolean> {
    return this.#gone.signal.aborted ? Promise.resolve(false) : this.#files.place(file);
  }

  removeFile(target: string): Promise<boolean> {
    return this.#gone.signal.aborted ? Promise.resolve(false) : this.#files.remove(target);
  }

  async mountTemplate(): Promise<boolean> {
    return false;
  }

  setEgress(policy: EgressPolicy): void {
    if (!this.#gone.signal.aborted) this.#parts.network.setPolicy(policy);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close().finally(this.#closed.resolve);
    return this.#closing;
  }

  async #runFresh(command: Command, work: Work): Promise<CommandResult> {
    const mark = newNonce();
    const nonce = newNonce();
    const parts = {
      exports: exports(mark, command.environment ?? {}),
      script: command.script,
      cwd: command.cwd ?? "/data",
      nonce,
      fed: work.feed !== undefined,
    };
    return (await runCommand(this.#host, work, { mark, nonce }, freshStart(this.#host, parts))).result;
  }

  /** Kills bwrap, with which process 1 and so the whole pid namespace dies, and whatever its groups still hold. */
  async #close(): Promise<void> {
    const { child, supervisor, cgroup, network, directory } = this.#parts;
    this.#gone.abort();
    supervisor.end();
    const exited = new Promise<void>((resolve) => {
      if (hasExited(child)) resolve();
      else child.once("exit", () => resolve());
    });
    child.kill("SIGKILL");
    const timer = new AbortController();
    await Promise.race([exited, delay(LONGEST_EXIT_MS, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
    for (const stream of child.stdio) stream?.destroy();
    const results = await Promise.allSettled([
      cgroup.destroy(),
      network.close(),
      rm(directory, { recursive: true, force: true }),
    ]);
    this.#parts.released();
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
