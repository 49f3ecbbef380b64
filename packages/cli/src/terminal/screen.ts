import { columnsOf, isTerminal, type Output, type Palette } from "./palette.ts";
import { cut } from "./plain-text.ts";

/** Lines to print for one event, and how they stand to what is above: apart, or in one group with other notes. */
export interface Block {
  place: "apart" | "note";
  lines: string[];
}

export function apart(lines: string[]): Block {
  return { place: "apart", lines };
}

export function note(...lines: string[]): Block {
  return { place: "note", lines };
}

const eraseLine = "\r\u001b[2K";

/**
 * Prints blocks one below the other and, on a terminal, keeps one status line under them that is overwritten in place.
 * While a text is written piece by piece there is no status line, and blocks wait for its end.
 */
export class Screen {
  readonly live: boolean;
  readonly #output: Output;
  readonly #palette: Palette;
  readonly #status: () => string | null;
  readonly #timer: NodeJS.Timeout | null;
  #last: Block["place"] | null = null;
  #shown = "";
  #writing = false;
  #waiting: Block[] = [];

  /** `status` is asked after each block and every second. */
  constructor(output: Output, palette: Palette, status: () => string | null) {
    this.#output = output;
    this.#palette = palette;
    this.#status = status;
    this.live = isTerminal(output);
    this.#timer = this.live ? setInterval(() => this.refresh(), 1000).unref() : null;
  }

  print(block: Block): void {
    if (this.#writing) this.#waiting.push(block);
    else this.#output.write(`${this.#gapBefore(block.place)}${block.lines.join("\n")}\n`);
  }

  /** Begins a text of its own, under the one that is being written, if any. */
  beginText(): void {
    if (this.#writing) this.#output.write("\n");
    this.#output.write(this.#gapBefore("apart"));
    this.#writing = true;
  }

  writeText(text: string): void {
    this.#output.write(text);
  }

  /** Ends the text, if one is being written, and prints the blocks that waited for it. */
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
    if (status !== "") this.#output.write(this.#palette.dim(cut(status, columnsOf(this.#output) - 1)));
    this.#shown = status;
  }

  /** Leaves only what was printed. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.endText();
    this.#erase();
  }

  /** Makes room for what is printed next; an empty line where it stands apart. */
  #gapBefore(place: Block["place"]): string {
    const gap = this.#last !== null && (place === "apart" || this.#last !== "note");
    this.#last = place;
    this.#erase();
    return gap ? "\n" : "";
  }

  #erase(): void {
    if (this.#shown === "") return;
    this.#output.write(eraseLine);
    this.#shown = "";
  }
}
