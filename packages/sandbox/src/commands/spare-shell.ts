import { finishShell, type ShellDeps, type StartedShell, startShell } from "./started-shell.ts";

/** A fresh shell that waits for its text. */
export type WaitingShell = StartedShell & { pid: number };

/**
 * Keeps at most one fresh shell that was started in advance, between two commands. Starting one takes three
 * programs, and longer than a small command takes. The shell is like any other: it has no mark until its
 * command gives it one, and it can die.
 */
export class SpareShell {
  readonly #deps: ShellDeps;
  #waiting: WaitingShell | undefined;
  #starting: Promise<void> | undefined;

  constructor(deps: ShellDeps) {
    this.#deps = deps;
  }

  /** Returns the pid, in the sandbox, of the waiting shell, once one that is starting waits; undefined without one. */
  async pid(): Promise<number | undefined> {
    await this.#starting;
    return this.#waiting?.pid;
  }

  /** Takes the waiting shell, which then belongs to the caller; undefined when none waits. */
  take(): WaitingShell | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  /** Starts a shell in the background, unless one waits. */
  prepare(): void {
    if (this.#waiting !== undefined || this.#starting !== undefined || this.#deps.gone.aborted) return;
    // Without a spare, the next command starts its own shell and reports the error.
    this.#starting = this.#start()
      .catch(() => {})
      .finally(() => {
        this.#starting = undefined;
      });
  }

  async #start(): Promise<void> {
    const { pid, ...open } = await startShell(this.#deps);
    const { input, output } = open;
    if (pid === null || output.destroyed) return await finishShell(this.#deps, { ...open, pid });
    const waiting = { ...open, pid };
    this.#waiting = waiting;
    output.once("close", () => {
      if (this.#waiting !== waiting) return;
      this.#waiting = undefined;
      input.destroy();
      void finishShell(this.#deps, waiting);
    });
    // The shell prints nothing before it has its text. The pipe is read in order to notice the shell's death.
    output.resume();
  }
}
