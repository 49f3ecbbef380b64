import { RUNTIMES, type RuntimeName } from "@berth/contract";
import { leastMeaning, versionMeaning } from "./version-text.ts";
import { FileReading, NOTHING, type ParsedFile, printable } from "./wish.ts";

/** Names of runtimes in asdf and mise that are not Berth's. */
const OTHER_NAMES = new Map<string, RuntimeName>([
  ["nodejs", "node"],
  ["golang", "go"],
]);

/** Returns the runtime that a version manager calls so, also `core:node` or `npm:pnpm`; null for others. */
export function runtimeNamed(name: string): RuntimeName | null {
  const plain = name.toLowerCase().replace(/^(core|npm|asdf|aqua|ubi|vfox):/, "");
  return OTHER_NAMES.get(plain) ?? RUNTIMES.find((one) => one === plain) ?? null;
}

/** Reads `.tool-versions` of asdf and mise. Of several versions in a line, the first counts. */
export function readToolVersions(text: string): ParsedFile {
  const reading = new FileReading();
  for (const { line, words } of contentLines(text)) {
    const [name = "", version] = words;
    const runtime = runtimeNamed(name);
    if (runtime === null) reading.ignore(line, `Berth has no runtime '${printable(name, 40)}'`);
    else if (version === undefined) reading.ignore(line, `it names no version of ${runtime}`);
    else reading.wish(runtime, version, line, versionMeaning);
  }
  return reading.parsed;
}

/**
 * Reads a file that holds the version of one runtime: `.nvmrc`, `.node-version`, `.python-version`,
 * `.java-version`. The first line with something counts.
 */
export function readVersionFile(runtime: RuntimeName, text: string): ParsedFile {
  const [first] = contentLines(text);
  if (first === undefined) return NOTHING;
  const reading = new FileReading();
  reading.wish(runtime, first.words[0], first.line, versionMeaning);
  return reading.parsed;
}

/** Reads `.sdkmanrc`. Only Java is a runtime that Berth has. */
export function readSdkmanrc(text: string): ParsedFile {
  const reading = new FileReading();
  for (const { line, words } of contentLines(text)) {
    const [name = "", version = ""] = words.join("").split("=");
    if (name === "java") reading.wish("java", version, line, versionMeaning);
    else reading.ignore(line, `Berth has no runtime '${printable(name, 40)}'`);
  }
  return reading.parsed;
}

/** Reads `go.mod`: the toolchain that it names, otherwise the least version of Go. */
export function readGoMod(text: string): ParsedFile {
  const lines = contentLines(text, /\/\/.*$/);
  const line = (name: string) => lines.find(({ words }) => words[0] === name && words.length === 2);
  const toolchain = line("toolchain");
  const reading = new FileReading();
  if (toolchain !== undefined && toolchain.words[1] !== "default")
    reading.wish("go", toolchain.words[1], toolchain.line, versionMeaning);
  const least = line("go");
  if (least !== undefined) reading.wish("go", least.words[1], least.line, leastMeaning);
  return reading.parsed;
}

/** Returns the lines that have something besides a comment. */
function contentLines(text: string, comment = /(^|\s)#.*$/): { line: number; words: string[] }[] {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .map((line, index) => ({ line: index + 1, words: line.replace(comment, "").trim().split(/\s+/) }))
    .filter(({ words }) => words[0] !== "");
}
