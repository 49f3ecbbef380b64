import { readFileSync } from "node:fs";
import { join } from "node:path";

const GUIDES = join(import.meta.dirname, "../../docs/guides");

/** The lines of a guide for a shell that are in none of its ```sh blocks: those indented by four spaces. Without their comments. */
export function printedLines(guide: string): string[] {
  const text = readFileSync(join(GUIDES, guide), "utf8").replaceAll(/^```.*?^```$/gms, "");
  const lines = text.replaceAll(/ \\\n +/g, " ").split("\n");
  return lines.flatMap((line) => /^ {4}(\S.*?)(?: +# .*)?$/.exec(line)?.[1] ?? []);
}

/**
 * The line of a guide that is just these words, or else the one that begins with them, as it is printed.
 *
 * @throws when none does, or several.
 */
export function printedLine(guide: string, begin: string): string {
  const lines = printedLines(guide);
  if (lines.includes(begin)) return begin;
  const found = lines.filter((line) => line.startsWith(`${begin} `));
  const [line] = found;
  if (line !== undefined && found.length === 1) return line;
  throw new Error(`${guide} has ${found.length} lines that begin with "${begin}".`);
}
