import { isDeepStrictEqual } from "node:util";
import { isChangedLines, withChangedLines } from "./changed-lines.ts";
import type { MadeCall, Transcript } from "./transcript.ts";

export interface Call {
  name: string;
  input: unknown;
}

/** Thrown by a reader that needs the results of these calls first. */
export class Pending extends Error {
  readonly calls: readonly Call[];

  constructor(calls: readonly Call[]) {
    super("calls are to be made");
    this.calls = calls;
  }
}

const UNCHANGED = "(Unchanged since your last Read of these lines, whose result is above.)";

/**
 * What a reader sees in one request. A reader is run anew for each request and remembers nothing: a call whose result the request
 * shows returns that, and any other is made, after which the reader is run again. What a compaction took from it, it has to call for again.
 */
export class Seen {
  readonly #transcript: Transcript;
  readonly #forgotten: readonly Call[];
  readonly #keptLeft: MadeCall[];
  /** Of the recent calls, how many this run has used. */
  #used = 0;
  /** Whether it acts on the notes of results and repeats what it has lost; otherwise it makes do with what it sees. */
  readonly actsOnNotes: boolean;

  /** @param forgotten the calls whose results a compaction took away. */
  constructor(transcript: Transcript, actsOnNotes: boolean, forgotten: readonly Call[]) {
    this.#transcript = transcript;
    this.actsOnNotes = actsOnNotes;
    this.#forgotten = forgotten;
    this.#keptLeft = [...transcript.kept];
  }

  get system(): string {
    return this.#transcript.system;
  }

  /** What the pattern finds in the newest of the user's messages that has it, or "". */
  told(pattern: RegExp): string {
    return newest(this.#transcript.messages, pattern);
  }

  /** The same in what the model said itself. */
  said(pattern: RegExp): string {
    return newest(this.#transcript.answers, pattern);
  }

  /** Whether it still sees that it made such a call, in this turn or before. */
  remembers(name: string, input: object): boolean {
    return this.#transcript.calls.some((call) => isSame(call, { name, input }));
  }

  /** What the pattern finds in a note of a result; null where there is none, or notes are not for this reader. */
  note(text: string, pattern: RegExp): RegExpExecArray | null {
    return this.actsOnNotes ? pattern.exec(text) : null;
  }

  /** What the pattern finds in the newest of all results that has it, or "". */
  noted(pattern: RegExp): string {
    const texts = this.#transcript.calls.map(({ text }) => text);
    return this.actsOnNotes ? newest(texts, pattern) : "";
  }

  /** The text of the call's result. */
  call(name: string, input: object): string {
    const [text = ""] = this.calls([{ name, input }]);
    return text;
  }

  /** A call that only a reader makes which does not see any more what it knew. */
  look(name: string, input: object): string {
    return this.actsOnNotes ? this.call(name, input) : "";
  }

  bash(command: string): string {
    return this.call("Bash", { command });
  }

  /** The texts of the results of calls in one response. */
  calls(calls: readonly Call[]): string[] {
    const results = calls.map((call) => this.#result(call));
    const missing = calls.filter((_, index) => results[index] === null);
    if (missing.length > 0) throw new Pending(missing);
    return results.map((text) => text ?? "");
  }

  /** Null: it is to be made. */
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

/** A result of Read that refers to earlier ones, with what they said. */
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
