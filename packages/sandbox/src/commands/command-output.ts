import type { Readable } from "node:stream";
import type { Command, CommandResult } from "../interface/command.ts";
import { type Ending, endOf } from "./command-ending.ts";
import { OutputSpill, type RunFed } from "./output-spill.ts";
import { OutputWindow } from "./output-window.ts";

const DEFAULT_OUTPUT_BYTES = 102_400;

type OutputWork = Pick<Command, "maxOutputBytes" | "keepOutput" | "onOutput">;

/**
 * Collects the output of a command: the window that is returned, progress, and on request all of it in a
 * file.
 */
export class CommandOutput {
  readonly #work: OutputWork;
  readonly #runFed: RunFed;
  readonly #window: OutputWindow;
  readonly #limit: number;
  #bytes = 0;
  /** Number of pending promises of `onOutput`, during which the pipe is paused. */
  #holds = 0;
  #spill: OutputSpill | null = null;

  constructor(work: OutputWork, runFed: RunFed) {
    this.#work = work;
    this.#runFed = runFed;
    this.#limit = work.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
    this.#window = new OutputWindow(this.#limit);
  }

  push(bytes: Buffer, pipe: Readable): void {
    const taken = this.#work.onOutput?.(bytes);
    if (taken instanceof Promise) this.#holdUp(taken, pipe);
    this.#bytes += bytes.length;
    if (this.#work.keepOutput && !this.#spill && this.#bytes > this.#limit) {
      this.#spill = new OutputSpill(this.#runFed, this.#window.everything());
    }
    this.#spill?.push(bytes, pipe);
    this.#window.push(bytes);
  }

  #holdUp(taken: Promise<void>, pipe: Readable): void {
    this.#holds += 1;
    pipe.pause();
    void taken.then(() => {
      this.#holds -= 1;
      if (this.#holds === 0) pipe.resume();
    });
  }

  async result(end: Ending, lasting: boolean): Promise<CommandResult> {
    const outputFile = this.#spill ? await this.#spill.finish() : null;
    const cwd = lasting && end.ended === "exit" ? end.end.cwd : null;
    return { ...endOf(end), ...this.#window.result(), outputFile, cwd };
  }
}
