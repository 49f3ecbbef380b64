import { plainText } from "../terminal/plain-text.ts";

/**
 * A message while it is written, as it may stand on a terminal: what was shown is never taken back. Held until more is
 * known: blanks at the end, and a line from its first control character on, since an escape sequence may come in pieces.
 */
export class Draft {
  #ended = "";
  #line = "";
  #shown = "";

  /** The pieces come from the beginning again, as after a reconnection. */
  restart(): void {
    this.#ended = "";
    this.#line = "";
  }

  /** What to write now that this piece came; empty for nothing. */
  add(piece: string): string {
    const lines = (this.#line + piece).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) this.#ended += `${plainText(line)}\n`;
    const [safe = ""] = this.#line.split(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u, 1);
    return this.#show((this.#ended + plainText(safe)).trim());
  }

  /**
   * What is missing of the whole message. Where pieces were lost and what stands there is not its beginning, it goes on
   * in a new line with the first line that differs.
   */
  rest(whole: string): string {
    if (whole.startsWith(this.#shown)) return this.#show(whole);
    let same = 0;
    while (whole[same] === this.#shown[same]) same += 1;
    return `\n${whole.slice(whole.lastIndexOf("\n", same) + 1)}`;
  }

  #show(text: string): string {
    if (!text.startsWith(this.#shown)) return "";
    const added = text.slice(this.#shown.length);
    this.#shown = text;
    return added;
  }
}
