import type { Command } from "commander";
import { cut, plainLine } from "../../terminal/plain-text.ts";
import { printLine } from "../../terminal/print.ts";
import type { Candidate } from "./candidate.ts";
import { candidatesAt, FILES } from "./candidates.ts";
import { positionOf } from "./position.ts";

/**
 * Prints what the last word can be: a candidate a line, with a tab before its description, or `:files` where the shell
 * completes the name of a file. Prints nothing if that is not known, or if it cannot be found out.
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

/** A value of a service goes on the command line as it is: one that a shell reads otherwise is left out. */
function isPlain({ value }: Candidate): boolean {
  return /^[\w.:/@+-]+$/.test(value);
}
