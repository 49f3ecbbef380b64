import { columnsOf, isTerminal, type Output, type Palette } from "./palette.ts";
import { cut } from "./plain-text.ts";
import type { Block } from "./transcript.ts";

const eraseLine = "\r\u001b[2K";

/** Prints blocks one below the other and, on a terminal, keeps one status line under them that is overwritten in place. */
export class Screen {
  readonly live: boolean;
  readonly #output: Output;
  readonly #palette: Palette;
  readonly #status: () => string | null;
  readonly #timer: NodeJS.Timeout | null;
  #last: Block["place"] | null = null;
  #shown = "";

  /** `status` is asked after each block and every second. */
  constructor(output: Output, palette: Palette, status: () => string | null) {
    this.#output = output;
    this.#palette = palette;
    this.#status = status;
    this.live = isTerminal(output);
    this.#timer = this.live ? setInterval(() => this.refresh(), 1000).unref() : null;
  }

  print(block: Block): void {
    const { place } = block;
    const gap = this.#last !== null && (place === "apart" || this.#last !== "note");
    this.#last = place;
    this.#erase();
    this.#output.write(`${gap ? "\n" : ""}${block.lines.join("\n")}\n`);
  }

  refresh(): void {
    if (!this.live) return;
    const status = this.#status() ?? "";
    if (status === this.#shown) return;
    this.#erase();
    if (status !== "") this.#output.write(this.#palette.dim(cut(status, columnsOf(this.#output) - 1)));
    this.#shown = status;
  }

  /** Leaves only what was printed. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#erase();
  }

  #erase(): void {
    if (this.#shown === "") return;
    this.#output.write(eraseLine);
    this.#shown = "";
  }
}
