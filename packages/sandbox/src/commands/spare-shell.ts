import type { CommandPipes, OpenSlot, Slot } from "./pipes.ts";
import type { Supervisor } from "./supervisor.ts";

/** A fresh shell that waits for its text. */
export interface WaitingShell extends Required<OpenSlot> {
  /** Pid in the sandbox. */
  pid: number;
}

interface Host {
  supervisor: Supervisor;
  pipes: CommandPipes;
  gone: AbortSignal;
}

/**
 * Keeps at most one fresh shell that was started in advance, between two commands. Starting one takes three
 * programs, and longer than a small command takes. The shell is like any other: it has no mark until its
 * command gives it one, and it can die.
 */
export class SpareShell {
  readonly #host: Host;
  #waiting: WaitingShell | undefined;
  #isStarting = false;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Takes the waiting shell, which then belongs to the caller; undefined when none waits. */
  take(): WaitingShell | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  /** Starts a shell in the background, unless one waits. */
  prepare(): void {
    if (this.#waiting !== undefined || this.#isStarting || this.#host.gone.aborted) return;
    this.#isStarting = true;
    // Without a spare, the next command starts its own shell and reports the error.
    this.#start()
      .catch(() => {})
      .finally(() => {
        this.#isStarting = false;
      });
  }

  async #start(): Promise<void> {
    const { supervisor, pipes, gone } = this.#host;
    const slot = await pipes.take();
    const output = pipes.read(slot);
    const input = pipes.write(slot, "in");
    input.on("error", () => {});
    // The shell prints nothing before it has its text. The pipe is read in order to notice the shell's death.
    output.on("error", () => {}).resume();
    const end = () => [input, output].map((stream) => stream.destroy());
    gone.addEventListener("abort", end, { once: true });
    output.once("close", () => gone.removeEventListener("abort", end));
    const pid = await supervisor.request("run", slot.name);
    if (pid === null) end();
    if (pid === null || output.destroyed) return await this.#discard(slot, pid);
    const waiting = { slot, pid, input, output };
    this.#waiting = waiting;
    output.once("close", () => {
      if (this.#waiting !== waiting) return;
      this.#waiting = undefined;
      input.destroy();
      void this.#discard(slot, pid);
    });
  }

  async #discard(slot: Slot, pid: number | null): Promise<void> {
    const { supervisor, pipes } = this.#host;
    if (pid !== null) await supervisor.request("finish", pid);
    pipes.release(slot);
  }
}
