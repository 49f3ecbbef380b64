import { plainText } from "../terminal/plain-text.ts";

/**
 * A message while it is being written to a terminal, where printed text cannot be changed. It holds back
 * trailing whitespace, and the rest of a line from its first control character, since an escape sequence may
 * arrive in pieces.
 */
export class Draft {
  #ended = "";
  #line = "";
  #shown = "";

  /** Starts again from the beginning of the message, as after a reconnection. */
  restart(): void {
    this.#ended = "";
    this.#line = "";
  }

  /** Adds a piece. Returns the text to print, which may be empty. */
  add(piece: string): string {
    const lines = (this.#line + piece).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) this.#ended += `${plainText(line)}\n`;
    const [safe = ""] = this.#line.split(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u, 1);
    return this.#show((this.#ended + plainText(safe)).trim());
  }

  /**
   * Returns the part of the whole message that is not printed yet. If pieces were lost, so that the printed
   * text is not its beginning, returns a newline and the text from the first line that differs.
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
