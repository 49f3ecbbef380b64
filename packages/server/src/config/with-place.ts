import type { SettingValues } from "./read-config.ts";
import { keyOf, SETTING_LIST } from "./settings.ts";

/** Settings that sentences name by their values, besides paths. */
const NAMED_BY_VALUE: ReadonlySet<string> = new Set([
  "host",
  "metricsAddress",
  "runnerAddress",
  "egressAddress",
]);

/**
 * A sentence about settings, with the flag, the variable, or the file, line and key where the one that it names was given: by its variable,
 * or else by its value. In the words of the settings file where it is from there.
 */
export function withPlace(sentence: string, { config, sources, file }: SettingValues): string {
  const given = SETTING_LIST.filter(([key]) => sources[key].from !== "default");
  const byValue = given
    .filter(([key, { path }]) => path === true || NAMED_BY_VALUE.has(key))
    .filter(([key]) => typeof config[key] === "string" && sentence.includes(String(config[key])))
    .toSorted(([one], [other]) => String(config[other]).length - String(config[one]).length);
  const [named] = [...given.filter(([, { variable }]) => mentions(sentence, variable)), ...byValue];
  if (named === undefined) return sentence;
  const { from, name, line } = sources[named[0]];
  if (name === null) return sentence;
  if (from !== "file") return sentence.includes(name) ? sentence : `${name}: ${sentence}`;
  const inFile = sentence.replaceAll(/\bBERTH_[A-Z0-9_]+\b/g, keyOf);
  return `${file}, line ${line}: ${inFile.startsWith(`${name} `) ? "" : `${name}: `}${inFile}`;
}

function mentions(sentence: string, variable: string): boolean {
  return new RegExp(`\\b${variable}\\b`).test(sentence);
}
