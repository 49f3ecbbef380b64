import type { SettingValues } from "./read-config.ts";
import { keyOf, SETTING_LIST } from "./settings.ts";

/** Settings that messages may name by their values, besides paths. */
const NAMED_BY_VALUE: ReadonlySet<string> = new Set([
  "host",
  "metricsAddress",
  "runnerAddress",
  "egressAddress",
]);

/**
 * Adds to a sentence about a setting where that was given: its flag, its variable, or its file, line and key.
 * Finds the setting by its variable in the sentence, else by its value. Replaces variables with keys when the
 * setting is from the settings file. Returns the sentence unchanged when it finds none.
 */
export function withPlace(sentence: string, { config, sources, file }: SettingValues): string {
  const given = SETTING_LIST.filter(([key]) => sources[key].from !== "default");
  const byValue = given
    .filter(([key, { path, shape }]) => path === true || shape === "json" || NAMED_BY_VALUE.has(key))
    .map((setting) => ({ setting, length: longestIn(sentence, namesIn(config[setting[0]])) }))
    .filter(({ length }) => length > 0)
    .toSorted((one, other) => other.length - one.length)
    .map(({ setting }) => setting);
  const [named] = [...given.filter(([, { variable }]) => mentions(sentence, variable)), ...byValue];
  if (named === undefined) return sentence;
  const { from, name, line } = sources[named[0]];
  if (name === null) return sentence;
  if (from !== "file") return sentence.includes(name) ? sentence : `${name}: ${sentence}`;
  const inFile = sentence.replaceAll(/\bBERTH_[A-Z0-9_]+\b/g, keyOf);
  return `${file}, line ${line}: ${inFile.startsWith(`${name} `) ? "" : `${name}: `}${inFile}`;
}

/** Returns the value, or the files that a list of objects names. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((one: { ca_file?: unknown }) => namesIn(one.ca_file));
  return typeof value === "string" ? [value] : [];
}

/** Returns the length of the longest name in the sentence, or 0. The longest match is its subject. */
function longestIn(sentence: string, names: readonly string[]): number {
  return Math.max(0, ...names.filter((name) => sentence.includes(name)).map(({ length }) => length));
}

function mentions(sentence: string, variable: string): boolean {
  return new RegExp(`\\b${variable}\\b`).test(sentence);
}
