import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { handlesOf } from "./child-handles.ts";
import { launcherArguments } from "./launch-program.ts";

/** Descriptors of a launcher beside its standard streams. All are pipes but the first, which is the system call filter. */
export const DESCRIPTORS = { seccomp: 3, arguments: 4, steps: 5, info: 6, guard: 7 } as const;

/** Delay after a sandbox was opened, which then has its first command behind it. */
const PREPARE_MS = 500;
/** Sessions begin together. Between such times the process would only take memory. */
const KEPT_MS = 60_000;

/**
 * Processes that run `launch.pl`. While sandboxes are being opened one waits for its steps, so that no sandbox waits for the start of
 * a program by a process as large as this.
 */
export class Launchers {
  readonly #perl: string;
  readonly #filter: string;
  #ready: ChildProcess | null = null;
  #preparing: NodeJS.Timeout | undefined;
  #ending: NodeJS.Timeout | undefined;

  /** @param filter Path of the system call filter. */
  constructor(perl: string, filter: string) {
    this.#perl = perl;
    this.#filter = filter;
  }

  /** Returns a process that waits for its steps. It emits `error` when it could not be started. */
  take(): ChildProcess {
    const ready = this.#ready;
    this.#ready = null;
    clearTimeout(this.#preparing);
    // Without root it would count as one of the processes that the sandboxes of this user may have.
    if (process.getuid?.() === 0) this.#preparing = setTimeout(() => this.#prepare(), PREPARE_MS).unref();
    if (ready === null || !isRunning(ready)) return this.#start();
    for (const one of handlesOf(ready)) one.ref();
    return ready;
  }

  /** Ends the process that waits. */
  close(): void {
    clearTimeout(this.#preparing);
    clearTimeout(this.#ending);
    this.#ready?.kill("SIGKILL");
    this.#ready = null;
  }

  #prepare(): void {
    const ready = this.#start();
    ready.on("error", () => {});
    for (const one of handlesOf(ready)) one.unref();
    this.#ready = ready;
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.close(), KEPT_MS).unref();
  }

  #start(): ChildProcess {
    const filter = openSync(this.#filter, "r");
    try {
      return spawn(this.#perl, launcherArguments(DESCRIPTORS.steps), {
        cwd: "/",
        env: {},
        stdio: ["pipe", "pipe", "pipe", filter, "pipe", "pipe", "pipe", "pipe"],
      });
    } finally {
      closeSync(filter);
    }
  }
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}
