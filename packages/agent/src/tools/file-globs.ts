/** Characters of a glob that may be meant literally, as in the names of routes: `app/[slug]/page.tsx`. */
const BRACKETS = /[[\]{}\\]/g;
const WILDCARDS = /[[\]{}*?\\]/g;

/**
 * Returns globs that together select the files of one glob: the glob itself, and forms with special
 * characters escaped. The first is left out if ripgrep would reject it (`globProblem`).
 */
export function fileGlobs(glob: string): string[] {
  const escaped = (characters: RegExp) => glob.replaceAll(characters, "\\$&");
  const asGiven = globProblem(glob) === null ? [glob] : [];
  return [...new Set([...asGiven, escaped(BRACKETS), escaped(WILDCARDS)])];
}

/** Returns why ripgrep rejects a glob, as a sentence; null when it accepts it. */
export function globProblem(glob: string): string | null {
  const plain = glob.replaceAll(/\\./gs, "");
  const withoutClasses = plain.replaceAll(/\[[!^]?\]?[^\]]*\]/g, "");
  if (withoutClasses.includes("[")) return `The glob '${glob}' has a '[' without its ']'.`;
  const open = withoutClasses.replaceAll(/[^{}]/g, "");
  let depth = 0;
  for (const brace of open) {
    depth += brace === "{" ? 1 : -1;
    if (depth < 0) break;
  }
  return depth === 0 ? null : `The glob '${glob}' has a '{' or '}' without the other.`;
}
