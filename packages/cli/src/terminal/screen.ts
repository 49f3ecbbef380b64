import { columnsOf, isTerminal, type Output, type Palette } from "./palette.ts";
import { cut } from "./plain-text.ts";

/** The lines of one event. Blocks are separated by an empty line, except for consecutive notes. */
export interface Block {
  kind: "apart" | "note";
  lines: string[];
}

/** Returns a block that is separated from others by empty lines. */
export function apart(lines: string[]): Block {
  return { kind: "apart", lines };
}

/** Returns a block that directly follows another note. */
export function note(...lines: string[]): Block {
  return { kind: "note", lines };
}

const ERASE_LINE = "\r\u001b[2K";
const LINE_UP = "\u001b[1A";

/**
 * Prints blocks and, on a terminal, keeps a status of some lines below them. While a text is written piece by
 * piece there is no status, and blocks wait for its end.
 */
export class Screen {
  readonly live: boolean;
  readonly #output: Output;
  readonly #palette: Palette;
  readonly #status: () => string | null;
  readonly #timer: NodeJS.Timeout | null;
  #last: Block["kind"] | null = null;
  #shown = "";
  #writing = false;
  #waiting: Block[] = [];

  /** @param status Called after each block and every second. */
  constructor(output: Output, palette: Palette, status: () => string | null) {
    this.#output = output;
    this.#palette = palette;
    this.#status = status;
    this.live = isTerminal(output);
    this.#timer = this.live ? setInterval(() => this.refresh(), 1000).unref() : null;
  }

  print(block: Block): void {
    if (this.#writing) this.#waiting.push(block);
    else this.#output.write(`${this.#gapBefore(block.kind)}${block.lines.join("\n")}\n`);
  }

  /** Starts a text. Ends the previous one first, if any. */
  beginText(): void {
    if (this.#writing) this.#output.write("\n");
    this.#output.write(this.#gapBefore("apart"));
    this.#writing = true;
  }

  writeText(text: string): void {
    this.#output.write(text);
  }

  /** Ends the text that is being written, if any, and prints the blocks that waited for it. */
  endText(): void {
    if (!this.#writing) return;
    this.#writing = false;
    this.#output.write("\n");
    for (const block of this.#waiting.splice(0)) this.print(block);
  }

  refresh(): void {
    if (!this.live || this.#writing) return;
    const status = this.#status() ?? "";
    if (status === this.#shown) return;
    this.#erase();
    const width = columnsOf(this.#output) - 1;
    const lines = status.split("\n").map((line) => cut(line, width));
    if (status !== "") this.#output.write(lines.map((line) => this.#palette.dim(line)).join("\n"));
    this.#shown = status;
  }

  /** Stops the updates and removes the status. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.endText();
    this.#erase();
  }

  /** Erases the status. Returns the empty line before the next block, if it needs one. */
  #gapBefore(kind: Block["kind"]): string {
    const gap = this.#last !== null && (kind === "apart" || this.#last !== "note");
    this.#last = kind;
    this.#erase();
    return gap ? "\n" : "";
  }

  #erase(): void {
    if (this.#shown === "") return;
    const lines = this.#shown.split("\n");
    this.#output.write(lines.map(() => ERASE_LINE).join(LINE_UP));
    this.#shown = "";
  }
}
