import type { CommandPipes, OpenSlot, Slot } from "./pipes.ts";
import type { Supervisor } from "./supervisor.ts";

/** A fresh shell that waits for its text. */
export interface WaitingShell extends Required<OpenSlot> {
  /** In the sandbox. */
  pid: number;
}

interface Host {
  supervisor: Supervisor;
  pipes: CommandPipes;
  gone: AbortSignal;
}

/**
 * At most one fresh shell that was started ahead, between two commands: to start one takes three programs, and longer than a small
 * command takes. It is as any other, has no mark before its command gives it one, and can die like any other.
 */
export class SpareShell {
  readonly #host: Host;
  #waiting: WaitingShell | undefined;
  #isStarting = false;

  constructor(host: Host) {
    this.#host = host;
  }

  /** The shell that waits, which is then the caller's. */
  take(): WaitingShell | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  /** Starts one in the background, where none waits. */
  prepare(): void {
    if (this.#waiting !== undefined || this.#isStarting || this.#host.gone.aborted) return;
    this.#isStarting = true;
    // Without one, the next command starts its own shell, and says what is wrong.
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
    // It says nothing before it has its text. Its death is seen because the pipe is read.
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
