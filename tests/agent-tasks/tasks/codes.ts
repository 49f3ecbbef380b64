import { readAll } from "../frame/follow.ts";
import type { Seen } from "../frame/seen.ts";

/** Returns pages of about 6,000 bytes each, with a code in the middle. */
export function pages(count: number): Record<string, string> {
  const page = (number: number) => {
    const lines = Array.from(
      { length: 100 },
      (_, line) =>
        `page ${number}, line ${line + 1}: ${(number * line * 7_919) % 99_991} of what was counted then`,
    );
    return [...lines.slice(0, 50), `code ${codeOf(number)}`, ...lines.slice(50)].join("\n");
  };
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`pages/${index + 1}.txt`, `${page(index + 1)}\n`]),
  );
}

function codeOf(number: number): string {
  return `K${(number * 7_919) % 9_973}`;
}

/** Returns the expected lines for the codes of the first `count` pages. */
export function codesOf(count: number, lineOf: (code: string) => string): string {
  return Array.from({ length: count }, (_, index) => `${lineOf(codeOf(index + 1))}\n`).join("");
}

/**
 * Appends a line for the code of each page in `pages/` to a file. Skips pages that are done, so that the work
 * can be resumed at any point.
 */
export function writeCodes(seen: Seen, folder: string, file: string, lineOf: (code: string) => string): void {
  const done = seen.bash(`cd ${folder}; touch ${file}; wc -l <${file}; ls pages | wc -l`);
  const [written = 0, count = 0] = done.split("\n").map(Number);
  for (let page = written + 1; page <= count; page += 1) {
    const lines = readAll(seen, `${folder}/pages/${page}.txt`);
    const code = lines.find((line) => line.startsWith("code "));
    if (code === undefined) return;
    seen.bash(`echo '${lineOf(code.slice("code ".length))}' >>${folder}/${file}`);
  }
}
