import type { Writable } from "node:stream";

/**
 * Writes the lines of one round of the event loop together. What a process logs before it exits is written before it does.
 */
export class LineBuffer {
  readonly #target: Pick<Writable, "write">;
  #lines = "";

  constructor(target: Pick<Writable, "write">) {
    this.#target = target;
    process.once("exit", () => this.#flush());
  }

  readonly write = (line: string): void => {
    if (this.#lines === "") setImmediate(() => this.#flush());
    this.#lines += line;
  };

  #flush(): void {
    if (this.#lines === "") return;
    const lines = this.#lines;
    this.#lines = "";
    this.#target.write(lines);
  }
}
