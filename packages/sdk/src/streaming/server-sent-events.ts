/** A frame of a server-sent event stream. */
export interface Frame {
  /** The frame's own `id`, or null when it has none. */
  id: string | null;
  event: string;
  data: string;
}

/**
 * Parses `text/event-stream` from chunks, which may end anywhere, even inside a character or between CR and
 * LF. A frame counts only after the empty line that ends it. Comments and frames without data are dropped.
 */
export class FrameParser {
  readonly #decoder = new TextDecoder();
  #line = "";
  #afterReturn = false;
  #id: string | null = null;
  #event = "";
  #data: string[] = [];

  /** Returns the frames that this chunk completes. */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let text = this.#decoder.decode(chunk, { stream: true });
    if (text === "") return frames;
    if (this.#afterReturn && text.startsWith("\n")) text = text.slice(1);
    this.#afterReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\r|\n/);
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      this.#take(this.#line + line, frames);
      this.#line = "";
    }
    this.#line += rest;
    return frames;
  }

  #take(line: string, frames: Frame[]): void {
    if (line === "") {
      this.#dispatch(frames);
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
  }

  #dispatch(frames: Frame[]): void {
    if (this.#data.length > 0) {
      frames.push({ id: this.#id, event: this.#event || "message", data: this.#data.join("\n") });
    }
    this.#id = null;
    this.#event = "";
    this.#data = [];
  }
}
