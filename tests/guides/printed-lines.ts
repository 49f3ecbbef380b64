import { readFileSync } from "node:fs";
import { join } from "node:path";

const GUIDES = join(import.meta.dirname, "../../docs/guides");

/**
 * Returns the shell lines of a guide outside its ```sh blocks, which are indented by four spaces, without
 * their comments.
 */
export function printedLines(guide: string): string[] {
  const text = readFileSync(join(GUIDES, guide), "utf8").replaceAll(/^```.*?^```$/gms, "");
  const lines = text.replaceAll(/ \\\n +/g, " ").split("\n");
  return lines.flatMap((line) => /^ {4}(\S.*?)(?: +# .*)?$/.exec(line)?.[1] ?? []);
}

/**
 * Returns the line of a guide that is `begin`, or else the one that begins with it and a space.
 *
 * @throws if no line matches, or several do.
 */
export function printedLine(guide: string, begin: string): string {
  const lines = printedLines(guide);
  if (lines.includes(begin)) return begin;
  const found = lines.filter((line) => line.startsWith(`${begin} `));
  const [line] = found;
  if (line !== undefined && found.length === 1) return line;
  throw new Error(`${guide} has ${found.length} lines that begin with "${begin}".`);
}
