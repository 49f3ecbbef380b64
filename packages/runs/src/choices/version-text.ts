import type { RuntimeName } from "@berth/contract";
import semver from "semver";
import type { Meaning } from "./wish.ts";

/** First numbers of the lines of Node.js that are named. */
const LTS_LINES: Readonly<Record<string, number>> = {
  argon: 4,
  boron: 6,
  carbon: 8,
  dubnium: 10,
  erbium: 12,
  fermium: 14,
  gallium: 16,
  hydrogen: 18,
  iron: 20,
  jod: 22,
  krypton: 24,
};

/**
 * Returns what a version means as version managers write it (`20`, `v20.1.0`, `lts/iron`, `latest:3.12`,
 * `temurin-21.0.2+13`), or a clause of why it means none.
 */
export function versionMeaning(text: string, runtime: RuntimeName): Meaning | string {
  const plain = text.toLowerCase();
  if (["system", "none", "os-provided", ""].includes(plain)) return "it names what the system has";
  if (/^(ref|path|file|sub-\d+|tag|branch|rev):/.test(plain)) return "it names no release";
  if (["latest", "stable", "current", "node"].includes(plain)) return { type: "newest" };
  if (runtime === "node" && /^lts[/-]?[*]?$/.test(plain)) return { type: "lts" };
  const named = /^lts[/-]([a-z]+)$/.exec(plain)?.[1];
  if (runtime === "node" && named !== undefined && LTS_LINES[named] !== undefined)
    return newestOf(`${LTS_LINES[named]}`);
  if (/^(nightly|beta|canary|dev|main|master)\b/.test(plain)) return { type: "never" };
  const numbers = numbersOf(plain, runtime);
  return numbers === null ? "it is no version that Berth knows" : newestOf(numbers);
}

/** Returns what a range in the notation of npm means, or a clause of why it means none. */
export function rangeMeaning(text: string, runtime: RuntimeName): Meaning | string {
  const range = semver.validRange(text, { loose: true });
  if (range === null) return versionMeaning(text, runtime);
  if (range === "*" || range === "") return runtime === "node" ? { type: "lts" } : { type: "newest" };
  return newestOf(range);
}

/** Returns the meaning of the least version that a file works with. */
export function leastMeaning(text: string): Meaning | string {
  const numbers = numbersOf(text.toLowerCase(), "go");
  if (numbers === null) return "it is no version that Berth knows";
  return { type: "range", range: `>=${numbers}`, prefers: "oldest" };
}

function newestOf(range: string): Meaning {
  return { type: "range", range, prefers: "newest" };
}

/** Returns one to three numbers with dots, or null when the text is something else. */
function numbersOf(text: string, runtime: RuntimeName): string | null {
  const bare = text
    .replace(/^(latest|prefix):/, "")
    .replace(runtime === "java" ? /^[a-z][a-z0-9_]*-(?=\d)/ : /^(v|=|go|cpython-)(?=\d)/, "")
    .replace(/[+].*$/, "")
    .replace(runtime === "java" ? /-[a-z0-9.]+$/ : /(\.[x*])+$/, "");
  if (!/^\d{1,6}(\.\d{1,6}){0,4}$/.test(bare)) return null;
  const numbers = bare.split(".").map((number) => String(Number(number)));
  // Java was 1.8 until it was 9.
  if (runtime === "java" && numbers[0] === "1" && numbers.length > 1) return numbers[1] ?? null;
  return numbers.slice(0, 3).join(".");
}
