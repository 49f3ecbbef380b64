import type { RuntimeName } from "@berth/contract";

/** Returns a number below, above or equal to zero as one version is older, newer, or the same. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Returns whether a version begins with these numbers: `22.1` with `22`, but not `22.10` with `22.1`. */
export function isOfLine(version: string, line: string): boolean {
  return version === line || version.startsWith(`${line}.`);
}

/**
 * Returns the version that a request means: the newest of the line that it names, the newest of all for
 * `latest` and `stable`, and the newest with an even first number, which Node.js supports for long, for
 * `lts`. Null when there is none.
 */
export function matchVersion(asked: string, versions: readonly string[]): string | null {
  const fits = versions.filter((version) => {
    if (asked === "latest" || asked === "stable") return true;
    if (asked === "lts") return (numbersOf(version)[0] ?? 1) % 2 === 0;
    return isOfLine(version, asked);
  });
  return fits.toSorted(compareVersions).at(-1) ?? null;
}

/** Number of leading numbers that a runtime's users know a line of versions by. */
const LINE: Readonly<Record<RuntimeName, number>> = {
  node: 1,
  python: 2,
  go: 2,
  rust: 2,
  java: 1,
  bun: 2,
  deno: 2,
  pnpm: 1,
  yarn: 1,
  uv: 2,
};

/** Returns the newest version of each line, from the oldest, at most `count`, which are the newest. */
export function newestOfLines(
  runtime: RuntimeName,
  versions: readonly string[],
  count: number = versions.length,
): string[] {
  const newest = new Map<string, string>();
  for (const version of versions.toSorted(compareVersions))
    newest.set(version.split(".", LINE[runtime]).join("."), version);
  return [...newest.values()].slice(-count);
}

function numbersOf(version: string): number[] {
  return version.split(".").map(Number);
}
