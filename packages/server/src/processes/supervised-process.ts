import type { ChildProcess, SendHandle } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { forkProgram } from "./fork-program.ts";
import { type Answer, type Calls, type Given, type Handlers, ProcessCalls } from "./process-calls.ts";

/** Options of a supervised process. `Own` are the calls that it can make. */
export interface ProcessOptions<Own extends Calls> {
  /** File of the program. */
  program: string;
  /** Name of the process, without article, for messages such as `the runner exited unexpectedly`. */
  name: string;
  /** Handlers of the calls that the process can make. */
  calls: Handlers<Own>;
  log: Logger;
  /** The first process, if it was forked already (`forkProgram`). */
  first?: ChildProcess | undefined;
  /** Called when the process exited unexpectedly, before it is replaced. */
  exited?(exit: { pid: number | undefined; signal: NodeJS.Signals | null }): void;
  /** Milliseconds of silence after which the process is killed and replaced. Default: never. */
  killAfterMs?: number;
  /**
   * The same for a replacement that is starting, which is silent while it loads its modules. Default: 60,000.
   */
  startWithinMs?: number;
}

/** Calls that every child process accepts. */
export type Stoppable = Calls & { stop(given: null): void };

const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;
const START_WITHIN_MS = 60_000;
/** Milliseconds that a process has to stop before it is killed. Its own grace periods are shorter. */
const STOP_TIMEOUT_MS = 20_000;

/** A child process that the constructor forks, and that is restarted whenever it exits unexpectedly. */
export class SupervisedProcess<Own extends Calls, Theirs extends Stoppable> {
  readonly #options: ProcessOptions<Own>;
  readonly #stopping = new AbortController();
  #child: ChildProcess;
  #calls: ProcessCalls<Theirs>;
  #supervising: Promise<void> = Promise.resolve();
  #isReady = false;
  #heardAt = 0;

  constructor(options: ProcessOptions<Own>) {
    this.#options = options;
    [this.#child, this.#calls] = this.#attach(options.first ?? forkProgram(options.program));
  }

  /**
   * Starts the work and the supervision. Rejects when the first process cannot start.
   * @param begin Starts the work of a process; called for the first one and for each replacement.
   */
  async start(begin: () => Promise<void>): Promise<void> {
    await this.#begin(begin);
    this.#supervising = this.#supervise(begin);
    const { killAfterMs } = this.#options;
    if (killAfterMs !== undefined) void this.#killSilent(killAfterMs);
  }

  /** Whether the process has started its work, and has not exited since. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Milliseconds since the last message of the process. */
  get silentMs(): number {
    return performance.now() - this.#heardAt;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Calls the process. Rejects when it fails, or exits before it has responded. */
  call<Name extends keyof Theirs & string>(
    name: Name,
    given: Given<Theirs, Name>,
    handle?: SendHandle,
  ): Promise<Answer<Theirs, Name>> {
    return this.#calls.call(name, given, handle);
  }

  /** Calls the process without waiting for a result. The call is dropped while the process does not read. */
  tell<Name extends keyof Theirs & string>(name: Name, given: Given<Theirs, Name>): void {
    this.#calls.tell(name, given);
  }

  /** Calls the process. Returns `otherwise` when it fails, or does not respond in time. */
  async callWithin<Name extends keyof Theirs & string>(
    milliseconds: number,
    name: Name,
    given: Given<Theirs, Name>,
    otherwise: Answer<Theirs, Name>,
  ): Promise<Answer<Theirs, Name>> {
    if (!this.#isReady) return otherwise;
    const answer = this.call(name, given).catch(() => otherwise);
    return await Promise.race([answer, pause(milliseconds, otherwise, { ref: false })]);
  }

  /** Asks the process to stop, and waits until it has exited. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#isReady = false;
    if (!hasExited(this.#child)) {
      const child = this.#child;
      this.#calls.call("stop", null).catch(() => undefined);
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await exited(child);
      clearTimeout(timer);
    }
    await this.#supervising;
  }

  #attach(child: ChildProcess): [ChildProcess, ProcessCalls<Theirs>] {
    const { name, calls: own } = this.#options;
    const calls = new ProcessCalls<Theirs>(child, own);
    this.#heardAt = performance.now();
    child.on("message", () => {
      this.#heardAt = performance.now();
    });
    child.once("exit", () =>
      calls.end(`The ${name} exited ${this.#isReady ? "before it answered" : "while it was starting"}.`),
    );
    return [child, calls];
  }

  async #begin(begin: () => Promise<void>): Promise<void> {
    await begin();
    this.#heardAt = performance.now();
    this.#isReady = !hasExited(this.#child);
  }

  async #supervise(begin: () => Promise<void>): Promise<void> {
    const { program, name, log } = this.#options;
    const { signal } = this.#stopping;
    for (let wait = MIN_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      await exited(this.#child);
      if (signal.aborted) return;
      const { pid, exitCode: code, signalCode } = this.#child;
      log.warn({ pid, code, signal: signalCode }, `the ${name} exited unexpectedly; restarting it`);
      this.#options.exited?.({ pid, signal: signalCode });
      if (this.#isReady) wait = MIN_RETRY_MS;
      this.#isReady = false;
      await pause(wait, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      [this.#child, this.#calls] = this.#attach(forkProgram(program));
      const child = this.#child;
      this.#begin(begin).catch((error: Error) => {
        if (!signal.aborted) log.error({ err: error }, `the ${name} could not be restarted`);
        child.kill("SIGKILL");
      });
    }
  }

  async #killSilent(afterMs: number): Promise<void> {
    const { name, log, startWithinMs = START_WITHIN_MS } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pause(Math.min(afterMs, startWithinMs) / 4, undefined, { signal, ref: false }).catch(
        () => undefined,
      );
      const limit = this.#isReady ? afterMs : startWithinMs;
      if (this.silentMs < limit || hasExited(this.#child) || signal.aborted) continue;
      log.warn(
        { pid: this.#child.pid, silent_ms: Math.round(this.silentMs) },
        `the ${name} is frozen; killing it`,
      );
      this.#child.kill("SIGKILL");
      await exited(this.#child);
    }
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function exited(child: ChildProcess): Promise<void> {
  if (!hasExited(child)) await once(child, "exit");
}
