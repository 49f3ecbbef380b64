import { isDeepStrictEqual } from "node:util";
import { isChangedLines, withChangedLines } from "./changed-lines.ts";
import type { MadeCall, Transcript } from "./transcript.ts";

export interface Call {
  name: string;
  input: unknown;
}

/** Thrown by a reader that first needs the results of these calls. */
export class Pending extends Error {
  readonly calls: readonly Call[];

  constructor(calls: readonly Call[]) {
    super("calls are to be made");
    this.calls = calls;
  }
}

const UNCHANGED = "(Unchanged since your last Read of these lines, whose result is above.)";

/**
 * The view of a reader in one request. A reader runs anew for each request, without memory. A call whose
 * result the request shows returns that result; any other call is made, and the reader runs again. After a
 * compaction it has to repeat calls whose results are gone.
 */
export class Seen {
  readonly #transcript: Transcript;
  readonly #forgotten: readonly Call[];
  readonly #keptLeft: MadeCall[];
  /** The number of recent calls that this run has used. */
  #used = 0;
  /**
   * Whether the reader acts on notes in results and repeats lost calls. Otherwise it works with what it sees.
   */
  readonly actsOnNotes: boolean;

  /** @param forgotten the calls whose results a compaction removed. */
  constructor(transcript: Transcript, actsOnNotes: boolean, forgotten: readonly Call[]) {
    this.#transcript = transcript;
    this.actsOnNotes = actsOnNotes;
    this.#forgotten = forgotten;
    this.#keptLeft = [...transcript.kept];
  }

  get system(): string {
    return this.#transcript.system;
  }

  /** Returns the pattern's group from the newest matching message of the user; "" without a match. */
  told(pattern: RegExp): string {
    return newest(this.#transcript.messages, pattern);
  }

  /** Returns the same from the model's own messages. */
  said(pattern: RegExp): string {
    return newest(this.#transcript.answers, pattern);
  }

  /** Whether the transcript still shows such a call, of this turn or an earlier one. */
  remembers(name: string, input: object): boolean {
    return this.#transcript.calls.some((call) => isSame(call, { name, input }));
  }

  /**
   * Returns the pattern's match in a note of a result. Returns null without a match, or if the reader does
   * not act on notes.
   */
  note(text: string, pattern: RegExp): RegExpExecArray | null {
    return this.actsOnNotes ? pattern.exec(text) : null;
  }

  /** Returns the pattern's group from the newest matching result; "" without a match. */
  noted(pattern: RegExp): string {
    const texts = this.#transcript.calls.map(({ text }) => text);
    return this.actsOnNotes ? newest(texts, pattern) : "";
  }

  /** Returns the text of a call's result. @throws Pending if it has none yet. */
  call(name: string, input: object): string {
    const [text = ""] = this.calls([{ name, input }]);
    return text;
  }

  /** Makes a call by which a reader that acts on notes regains lost knowledge. Others get "" instead. */
  look(name: string, input: object): string {
    return this.actsOnNotes ? this.call(name, input) : "";
  }

  bash(command: string): string {
    return this.call("Bash", { command });
  }

  /** Returns the texts of the results of calls that are made in one response. */
  calls(calls: readonly Call[]): string[] {
    const results = calls.map((call) => this.#result(call));
    const missing = calls.filter((_, index) => results[index] === null);
    if (missing.length > 0) throw new Pending(missing);
    return results.map((text) => text ?? "");
  }

  /** Returns the result of a call; null if the call has to be made. */
  #result(call: Call): string | null {
    const kept = this.#keptLeft.findIndex((one) => isSame(one, call));
    const [found] = kept < 0 ? [] : this.#keptLeft.splice(kept, 1);
    if (found !== undefined) return found.text;
    const { recent, calls } = this.#transcript;
    const index = recent.findIndex((one, at) => at >= this.#used && isSame(one, call));
    const text = recent[index]?.text;
    if (text === undefined) {
      const isLost = !this.actsOnNotes && this.#forgotten.some((one) => isSame(one, call));
      return isLost ? "" : null;
    }
    this.#used = index + 1;
    if (!this.actsOnNotes) return text;
    const same = calls.slice(0, calls.length - recent.length + index).filter((one) => isSame(one, call));
    return inFull(
      text,
      same.map((one) => one.text),
    );
  }
}

/** Expands a Read result that refers to earlier ones. */
function inFull(text: string, before: readonly string[]): string {
  const told = text === UNCHANGED ? (before.findLast((one) => one !== UNCHANGED) ?? text) : text;
  if (!isChangedLines(told)) return told;
  const whole = before.findLast((one) => one !== UNCHANGED && !isChangedLines(one));
  return whole === undefined ? told : withChangedLines(whole, told);
}

function newest(texts: readonly string[], pattern: RegExp): string {
  for (const text of texts.toReversed()) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return "";
}

function isSame(one: Call, other: Call): boolean {
  return one.name === other.name && isDeepStrictEqual(one.input, other.input);
}
