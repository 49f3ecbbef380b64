import type { RuntimeName } from "@berth/contract";

/** The versions that a wish accepts. */
export type Meaning =
  /**
   * `range`: in the notation of npm. `except`: lines that it does not include. `prefers`: of several versions,
   * the newest of all, or of the oldest line, where a file names the least version that it works with.
   */
  | { type: "range"; range: string; except?: readonly string[]; prefers: "newest" | "oldest" }
  /** Any version, the newest first. */
  | { type: "newest" }
  /** Any version with an even first number, the newest first. */
  | { type: "lts" }
  /** One that no installation has, such as a build of the night. */
  | { type: "never" };

/** The version of a runtime that a file asks for. */
export interface Wish {
  runtime: RuntimeName;
  /** As the file has it: one line of printable characters. */
  asked: string;
  meaning: Meaning;
  /** Number of the line, from 1. */
  line: number;
}

/** Something in a file that is not followed. */
export interface IgnoredLine {
  /** Null for the whole file. */
  line: number | null;
  /** A clause for people and models. */
  reason: string;
}

/** What a file says of runtimes. Of two wishes for one runtime, the first counts. */
export interface ParsedFile {
  wishes: readonly Wish[];
  ignored: readonly IgnoredLine[];
}

export const NOTHING: ParsedFile = { wishes: [], ignored: [] };

/** Returns a file of which nothing is followed. */
export function unreadable(reason: string): ParsedFile {
  return { wishes: [], ignored: [{ line: null, reason }] };
}

/** The most characters of a version. No tool writes longer ones, except digests, which are cut off before. */
const MAX_ASKED = 100;

/**
 * Returns one line of printable characters, shortened, for texts that people and models read. The file may
 * hold anything.
 */
export function printable(text: string, maximum: number = MAX_ASKED): string {
  const line = text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= maximum ? line : `${line.slice(0, maximum).toWellFormed()}…`;
}

/** Collects what a file says. */
export class FileReading {
  readonly #wishes: Wish[] = [];
  readonly #ignored: IgnoredLine[] = [];

  /**
   * Adds what the text means for a runtime.
   *
   * @param read returns the meaning, or a clause of why there is none.
   */
  wish(
    runtime: RuntimeName,
    text: unknown,
    line: number,
    read: (text: string, runtime: RuntimeName) => Meaning | string,
  ): void {
    if (typeof text !== "string") {
      this.ignore(line, `the version of ${runtime} is not a text`);
      return;
    }
    const asked = printable(text);
    const meaning = asked.length > MAX_ASKED ? "it is too long for a version" : read(text.trim(), runtime);
    if (typeof meaning === "string") this.ignore(line, `'${asked}' is not followed: ${meaning}`);
    else this.#wishes.push({ runtime, asked, meaning, line });
  }

  ignore(line: number | null, reason: string): void {
    this.#ignored.push({ line, reason });
  }

  get parsed(): ParsedFile {
    return { wishes: this.#wishes, ignored: this.#ignored };
  }
}
