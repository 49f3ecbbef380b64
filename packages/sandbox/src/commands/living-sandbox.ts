import type { EgressPolicy, NetworkNamespace } from "@berth/egress";
import type { LimitGauge } from "../host/cgroup-gauge.ts";
import { FilePlacer } from "../inside/place-file.ts";
import type { Command, CommandResult } from "../interface/command.ts";
import { SandboxError } from "../interface/errors.ts";
import type { Sandbox } from "../interface/sandbox.ts";
import type { MountedFile, MountedSnapshot } from "../interface/spec.ts";
import { type CommandHost, freshStart, newNonce, runCommand, type Work } from "./command-run.ts";
import { exports } from "./command-script.ts";
import { Marks } from "./marks.ts";
import { closedResult, NamedShell } from "./named-shell.ts";
import { feedBytes, feedStream } from "./pipe-feeder.ts";
import type { Pipes } from "./pipes.ts";
import type { Supervisor } from "./supervisor.ts";

/** What stands of a sandbox, whatever engine made it. */
export interface LivingParts {
  id: string;
  /** Host pid of process 1. */
  init: number;
  supervisor: Supervisor;
  pipes: Pipes;
  /** Absent where the engine cannot tell which limit a command has met. */
  gauge?: LimitGauge;
  network: Pick<NetworkNamespace, "setPolicy" | "watchDenied">;
  /** Host directory that is mounted as uploads. */
  uploads: string;
  /** Writable places inside. */
  writable: readonly string[];
  /** Paths inside of the files that have a mount each. */
  mounted: readonly string[];
  /** Absent where the engine mounts none. */
  snapshots?: {
    mount(snapshot: MountedSnapshot): Promise<boolean>;
    unmount(target: string): Promise<boolean>;
  };
}

/** A living sandbox: commands, shells and files over its process 1. An engine adds how it ends. */
export abstract class LivingSandbox implements Sandbox {
  readonly id: string;
  readonly closed: Promise<void>;
  readonly #parts: LivingParts;
  readonly #closed = Promise.withResolvers<void>();
  readonly #gone = new AbortController();
  readonly #host: CommandHost;
  readonly #shells = new Map<string, NamedShell>();
  readonly #files: FilePlacer;
  #closing: Promise<void> | null = null;

  constructor(parts: LivingParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#host = {
      supervisor: parts.supervisor,
      pipes: parts.pipes,
      init: parts.init,
      network: parts.network,
      gone: this.#gone.signal,
      running: new Set(),
      marks: new Marks(),
      giveUp: () => this.close().catch(() => {}),
      ...(parts.gauge === undefined ? {} : { gauge: parts.gauge }),
    };
    this.#files = new FilePlacer(parts, (command, stdin) =>
      this.#runFresh(command, { ...command, ...(stdin === undefined ? {} : { feed: feedStream(stdin) }) }),
    );
    this.closed = this.#closed.promise;
  }

  async run(command: Command): Promise<CommandResult> {
    if (this.#gone.signal.aborted) return closedResult();
    try {
      return await this.#run(command);
    } catch (error) {
      // What it needed went with the sandbox before it began.
      if (this.#gone.signal.aborted) return closedResult();
      throw error;
    }
  }

  async #run(command: Command): Promise<CommandResult> {
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

  async mountSnapshot(snapshot: MountedSnapshot): Promise<boolean> {
    if (this.#gone.signal.aborted) return false;
    return (await this.#parts.snapshots?.mount(snapshot)) ?? false;
  }

  async unmountSnapshot(target: string): Promise<boolean> {
    if (this.#gone.signal.aborted) return false;
    return (await this.#parts.snapshots?.unmount(target)) ?? false;
  }

  setEgress(policy: EgressPolicy): void {
    if (!this.#gone.signal.aborted) this.#parts.network.setPolicy(policy);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close().finally(this.#closed.resolve);
    return this.#closing;
  }

  /** Kills all that lives inside, waits for none of it, and releases what the sandbox holds. Called once. */
  protected abstract release(): Promise<void>;

  #close(): Promise<void> {
    this.#gone.abort();
    this.#parts.supervisor.end();
    return this.release();
  }

  async #runFresh(command: Command, work: Work): Promise<CommandResult> {
    const mark = this.#host.marks.next();
    const nonce = newNonce();
    const parts = {
      mark,
      exports: exports(command.environment ?? {}),
      script: command.script,
      cwd: command.cwd ?? "/data",
      nonce,
      fed: work.feed !== undefined,
    };
    return (await runCommand(this.#host, work, { mark, nonce }, freshStart(this.#host, parts))).result;
  }
}
