import type { RuntimeName } from "@berth/contract";
import { isObject, type JsonText, readJsonObject } from "./json-text.ts";
import { rangeMeaning, versionMeaning } from "./version-text.ts";
import { FileReading, type ParsedFile, printable, unreadable } from "./wish.ts";

const ENGINES = ["node", "pnpm", "yarn", "bun", "deno"] as const satisfies readonly RuntimeName[];

/**
 * Reads the versions that a `package.json` asks for, the most definite first: `packageManager`, `volta`,
 * `devEngines`, `engines`. npm comes with Node.js.
 */
export function readPackageJson(text: string): ParsedFile {
  const json = readJsonObject(text);
  if (typeof json === "string") return unreadable(json);
  const reading = new FileReading();
  readPackageManager(json, reading);
  readField(json, "volta", reading);
  readDevEngines(json, reading);
  readField(json, "engines", reading);
  return reading.parsed;
}

function readPackageManager({ value, lineOf }: JsonText, reading: FileReading): void {
  const { packageManager: given } = value;
  if (typeof given !== "string") return;
  const line = lineOf("packageManager");
  const at = given.lastIndexOf("@", given.includes("+") ? given.indexOf("+") : given.length);
  const name = engineNamed(given.slice(0, Math.max(at, 0)));
  if (name !== null) reading.wish(name, given.slice(at + 1).replace(/[+].*$/s, ""), line, versionMeaning);
  else if (!given.startsWith("npm@"))
    reading.ignore(line, `Berth has no package manager '${printable(given, 40)}'`);
}

/** Reads an object of names and versions. */
function readField({ value, lineOf }: JsonText, field: "volta" | "engines", reading: FileReading): void {
  const given = value[field];
  if (!isObject(given)) return;
  for (const name of ENGINES)
    if (given[name] !== undefined) reading.wish(name, given[name], lineOf(field, name), rangeMeaning);
}

/** `devEngines` has an object with a name and a version, or a list of them, of which the first counts. */
function readDevEngines({ value, lineOf }: JsonText, reading: FileReading): void {
  const { devEngines } = value;
  if (!isObject(devEngines)) return;
  for (const field of ["runtime", "packageManager"]) {
    const given = devEngines[field];
    const [first] = Array.isArray(given) ? given : [given];
    if (!isObject(first)) continue;
    const name = engineNamed(first.name);
    if (name !== null && first.version !== undefined)
      reading.wish(name, first.version, lineOf("devEngines", field), rangeMeaning);
  }
}

function engineNamed(name: unknown): (typeof ENGINES)[number] | null {
  return ENGINES.find((one) => one === name) ?? null;
}
