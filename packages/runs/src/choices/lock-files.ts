import { FileReading, type Meaning, NOTHING, type ParsedFile } from "./wish.ts";

/** The version of a lock file's format, and the package managers that read it. */
interface Format {
  /** Finds the format's version, as its first group. */
  pattern: RegExp;
  runtime: "bun" | "pnpm" | "yarn";
  readers: (version: number) => Meaning;
}

const newestOf = (range: string): Meaning => ({ type: "range", range, prefers: "newest" });

const YARN_1: Format = {
  pattern: /^# yarn lockfile v(1)$/m,
  runtime: "yarn",
  readers: () => newestOf("1"),
};
const YARN: Format = {
  pattern: /^__metadata:\n {2}version: (\d{1,3})$/m,
  runtime: "yarn",
  // Yarn 4 would write the lock files of Yarn 2 and 3 anew.
  readers: (version) => newestOf(version < 8 ? "2 || 3" : ">=4"),
};
const PNPM: Format = {
  pattern: /^lockfileVersion: '?(\d{1,3}(?:\.\d{1,3})?)'?$/m,
  runtime: "pnpm",
  // pnpm 9 also reads what 8 wrote.
  readers: (version) => newestOf(version >= 9 ? "9 || 10" : version >= 6 ? "8 || 9" : "6 || 7"),
};
const BUN: Format = {
  pattern: /^ {0,8}"lockfileVersion": (\d{1,3}),?$/m,
  runtime: "bun",
  readers: () => newestOf(">=1.2"),
};

/** Reads `yarn.lock`, of which the beginning is enough. */
export function readYarnLock(text: string): ParsedFile {
  const first = read(text, YARN_1);
  return first === NOTHING ? read(text, YARN) : first;
}

/** Reads `pnpm-lock.yaml`, of which the beginning is enough. */
export function readPnpmLock(text: string): ParsedFile {
  return read(text, PNPM);
}

/** Reads `bun.lock`, of which the beginning is enough. */
export function readBunLock(text: string): ParsedFile {
  return read(text, BUN);
}

function read(given: string, { pattern, runtime, readers }: Format): ParsedFile {
  const text = given.replaceAll("\r\n", "\n");
  const found = pattern.exec(text);
  const version = found?.[1];
  if (found === null || version === undefined) return NOTHING;
  const line = text.slice(0, found.index + found[0].length).split("\n").length;
  const reading = new FileReading();
  reading.wish(runtime, version, line, () => readers(Number(version)));
  return reading.parsed;
}
