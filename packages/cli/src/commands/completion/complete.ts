import type { Command } from "commander";
import { cut, plainLine } from "../../terminal/plain-text.ts";
import { printLine } from "../../terminal/print.ts";
import type { Candidate } from "./candidate.ts";
import { candidatesAt, FILES } from "./candidates.ts";
import { positionOf } from "./position.ts";

/**
 * Prints the completions of the last word, one per line, with a tab before the description. Prints `:files`
 * where the shell completes a file name, and nothing if there are none or an error occurs.
 */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const position = positionOf(program, words);
  const found = await candidatesAt(position).catch(() => []);
  if (found === FILES) return printLine(":files");
  const { prefix, word } = position;
  for (const { value, about } of found.filter(isPlain)) {
    if (value.startsWith(word)) printLine(`${prefix}${value}\t${cut(plainLine(about ?? ""), 70)}`);
  }
}

/** Returns whether a value of a service needs no quoting. Other values are left out. */
function isPlain({ value }: Candidate): boolean {
  return /^[\w.:/@+-]+$/.test(value);
}
