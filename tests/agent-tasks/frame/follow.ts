import type { Call, Seen } from "./seen.ts";

/** The ways in which a reader completes an incomplete result: by the call that its note names. */

const READ_ON =
  /\[(?:Lines \d+ to (\d+)(?: of \d+)?|Cut after line (\d+), at [\d.]+ KiB)\. Use offset to read on\.\]/;
const TOO_LARGE = /^\S+ has \d+ bytes, more than 262144\. Read a part of it with offset and limit/;

/**
 * Returns the lines of a file, read until its end or until `enough`. @param enough returns whether the lines
 * so far suffice.
 */
export function readAll(
  seen: Seen,
  path: string,
  enough: (lines: readonly string[]) => boolean = () => false,
): string[] {
  return readOn(seen, path, seen.call("Read", { file_path: path }), enough);
}

/** Reads several files in the same way, starting with one response for all. */
export function readTogether(seen: Seen, paths: readonly string[]): string[][] {
  const calls: Call[] = paths.map((path) => ({ name: "Read", input: { file_path: path } }));
  const texts = seen.calls(calls);
  return paths.map((path, index) => readOn(seen, path, texts[index] ?? "", () => false));
}

function readOn(
  seen: Seen,
  path: string,
  first: string,
  enough: (lines: readonly string[]) => boolean,
): string[] {
  const isTooLarge = seen.note(first, TOO_LARGE) !== null;
  let text = isTooLarge ? seen.call("Read", { file_path: path, offset: 1, limit: 2_000 }) : first;
  const lines = numbered(text);
  for (;;) {
    const note = enough(lines) ? null : seen.note(text, READ_ON);
    if (note === null) return lines;
    const offset = Number(note[1] ?? note[2]) + 1;
    text = seen.call("Read", { file_path: path, offset, ...(isTooLarge && { limit: 2_000 }) });
    lines.push(...numbered(text));
  }
}

/** Returns the file's lines in a Read result, without line numbers. */
function numbered(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const found = /^(\d+)\t(.*)$/s.exec(line);
    return found === null ? [] : [found[2] ?? ""];
  });
}

/**
 * Returns the matching lines of an output or, if it was shortened, of the file with the whole output. @param
 * extended the same pattern for `grep -E`.
 */
export function findInOutput(seen: Seen, output: string, pattern: RegExp, extended: string): string[] {
  const found = (text: string) => text.split("\n").filter((line) => pattern.test(line));
  const here = found(output);
  const file = seen.note(output, /; the output is kept in (\S+?)(?:, .*)?\]/)?.[1];
  return file === undefined ? here : found(seen.bash(`grep -E -h '${extended}' ${file}`));
}

/**
 * Returns the files that a search finds. If a note says that results are missing, each folder is searched
 * separately.
 */
export function searchAll(seen: Seen, pattern: string, path: string): string[] {
  const search = (where: string) => seen.call("Grep", { pattern, path: where, output_mode: "content" });
  const text = search(path);
  if (seen.note(text, /more lines are not shown\. Search a narrower path/) === null) return headings(text);
  const folders = seen.bash(`find ${path} -mindepth 1 -maxdepth 1 -type d -not -name .git`).split("\n");
  return folders.flatMap((folder) => (folder.startsWith("/") ? headings(search(folder)) : []));
}

/** Returns the file names in a search result, each above its matches. */
function headings(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("/"));
}
