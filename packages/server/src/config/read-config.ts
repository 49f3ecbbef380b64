import { dirname, resolve } from "node:path";
import { readRegularFile } from "@berth/linux";
import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { hasPassword } from "./has-password.ts";
import { readFailure } from "./read-named-file.ts";
import { withoutServiceLinks } from "./service-links.ts";
import { flagOf, keyOf, SETTING_LIST, type Setting, variablesOfSetting } from "./settings.ts";
import { readSettingsFile, type SettingsFile } from "./settings-file.ts";

type Texts = Readonly<Record<string, string | undefined>>;

/** The source of a value: a flag, a variable, or a line of the settings file, with its name there. */
export interface Source {
  from: "default" | "file" | "variable" | "flag";
  name: string | null;
  line: number | null;
}

/** The settings with the source of each value. */
export interface SettingValues {
  config: Config;
  sources: Readonly<Record<keyof Config, Source>>;
  /** Path of the settings file; null for none. */
  file: string | null;
}

/** A value as the operator gave it. */
interface Given extends Source {
  name: string;
  text: string;
  /** Directory of relative paths. */
  directory: string;
  /** Whether the text names a file that contains the value. */
  isInFile: boolean;
}

/** Reads the settings; see `readSettings`. */
export function readConfig(environment: Texts, flags: Texts = {}, cwd: string = process.cwd()): Config {
  return readSettings(environment, flags, cwd).config;
}

/**
 * Reads the settings. A flag takes precedence over a variable, a variable over the settings file, and a value
 * over the name of a file that contains it. Paths are relative to `cwd`; those of the settings file to its
 * directory.
 * @param flags Flags by name without dashes, such as `data-dir`; `config` names the settings file.
 * @throws ConfigError with all faults.
 */
export function readSettings(variables: Texts, flags: Texts, cwd: string): SettingValues {
  const environment = withoutServiceLinks(variables);
  const file = readSettingsFile({ named: flags.config, environment, cwd });
  const faults = [...(file?.faults ?? [])];
  const entries = SETTING_LIST.map(([key, setting]) => {
    const all = givenFor(setting, { environment, flags, file, cwd });
    const [given] = all;
    if (given === undefined) return { key, value: defaultValue(setting, cwd), source: NOT_GIVEN };
    try {
      requireOne(all);
      const { from, name, line } = given;
      const value = parsedValue(setting, given);
      requireNoPassword(setting, given, value);
      return { key, value, source: { from, name, line } };
    } catch (error) {
      // Other programs use the variable as well, so an unusable value is ignored; `unknownVariables` reports
      // it.
      if (given.from === "variable" && setting.common?.includes(given.name))
        return { key, value: defaultValue(setting, cwd), source: NOT_GIVEN };
      faults.push(fault(given, (error as Error).message, file));
      return { key, value: null, source: NOT_GIVEN };
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    config: Object.fromEntries(entries.map(({ key, value }) => [key, value])) as unknown as Config,
    sources: Object.fromEntries(entries.map(({ key, source }) => [key, source])) as SettingValues["sources"],
    file: file?.path ?? null,
  };
}

const NOT_GIVEN: Source = { from: "default", name: null, line: null };

/** Returns all values that were given for a setting, the one with the highest precedence first. */
function givenFor(
  setting: Setting<unknown>,
  {
    environment,
    flags,
    file,
    cwd,
  }: { environment: Texts; flags: Texts; file: SettingsFile | null; cwd: string },
): Given[] {
  const names = variablesOfSetting(setting);
  const from = (source: Given["from"], name: string, text: string | undefined): Given[] =>
    text === undefined
      ? []
      : [
          {
            from: source,
            name,
            text,
            line: null,
            directory: cwd,
            isInFile: name !== nameIn(source, setting.variable),
          },
        ];
  return [
    ...names.flatMap((variable) => from("flag", flagOf(variable), flags[flagOf(variable).slice(2)])),
    ...names.flatMap((variable) => from("variable", variable, environment[variable])),
    ...names.flatMap((variable) => {
      const entry = file?.entries.get(keyOf(variable));
      const given = from("file", keyOf(variable), entry?.text);
      return given.map((one) => ({
        ...one,
        line: entry?.line ?? null,
        directory: dirname(file?.path ?? cwd),
      }));
    }),
    ...(setting.common ?? []).flatMap((name) => {
      const given = from("variable", name, environment[name] || undefined);
      return given.map((one) => ({ ...one, isInFile: false }));
    }),
  ];
}

function nameIn(source: Given["from"], variable: string): string {
  if (source === "flag") return flagOf(variable);
  return source === "file" ? keyOf(variable) : variable;
}

/** Rejects a value together with a file for it. Of two variables, the value takes precedence. */
function requireOne([first, second]: readonly Given[]): void {
  if (first !== undefined && first.from === second?.from && first.from !== "variable")
    throw new Error(`cannot be used with ${second.name}`);
}

/** Rejects a password in a flag, since every user of the machine can see the flags of a process. */
function requireNoPassword({ secret, variable }: Setting<unknown>, given: Given, value: unknown): void {
  if (secret !== true || given.from !== "flag" || given.isInFile) return;
  if (hasPassword(String(value)))
    throw new Error(
      `must not have a password, because every user of the machine could see it: use ${variable} or ${given.name}-file`,
    );
}

function parsedValue({ parse, path }: Setting<unknown>, { text, isInFile, directory }: Given): unknown {
  const value = parse(isInFile ? contentOf(resolve(directory, text)) : text);
  return path === true && typeof value === "string" ? resolve(directory, value) : value;
}

function defaultValue({ fallback, path }: Setting<unknown>, cwd: string): unknown {
  return path === true && typeof fallback === "string" ? resolve(cwd, fallback) : fallback;
}

function contentOf(file: string): string {
  try {
    return readRegularFile(file).trim();
  } catch (error) {
    throw new Error(`cannot be used: ${readFailure(file, error)}`, { cause: error });
  }
}

function fault({ name, line }: Given, clause: string, file: SettingsFile | null): string {
  const place = line === null ? name : `${file?.path}, line ${line}: ${name}`;
  const separator = /^(must|cannot|names|lists) /.test(clause) ? " " : ": ";
  return `${place}${separator}${clause.replace(/\.$/, "")}.`;
}
