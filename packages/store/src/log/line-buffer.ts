import type { Writable } from "node:stream";

/**
 * Writes the lines of one turn of the event loop together. Lines that are buffered at exit are written first.
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
