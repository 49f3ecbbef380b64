import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "@berth/linux";
import { nearestName } from "@berth/store/errors";
import type { Document } from "yaml";
import { ConfigError } from "./config-error.ts";
import { readFailure } from "./read-named-file.ts";
import { CONFIG_VARIABLE, keyOf, SETTING_LIST, type Setting, variablesOfSetting } from "./settings.ts";

/** The optional settings file, `berth.yaml`. */
export interface SettingsFile {
  path: string;
  /** Values by key, as the text that a variable would have. */
  entries: ReadonlyMap<string, { text: string; line: number }>;
  /** Sentences that name the file, the line and the key. */
  faults: readonly string[];
}

interface Places {
  /** Value of the flag `--config`. */
  named: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  cwd: string;
}

/** Loads the YAML library only when there is a settings file. */
const loadYaml = (): typeof import("yaml") => createRequire(import.meta.url)("yaml");

const NAME = "berth/berth.yaml";
const KEYS = new Map<string, Setting<unknown>>(
  SETTING_LIST.flatMap(([, setting]) =>
    variablesOfSetting(setting).map((variable) => [keyOf(variable), setting] as const),
  ),
);

/**
 * Reads the settings file that `--config` or `BERTH_CONFIG` names, else the user's, else the machine's.
 * @returns null if there is none.
 * @throws ConfigError if it cannot be read, or others may change it.
 */
export function readSettingsFile(places: Places): SettingsFile | null {
  const found = find(places);
  if (found === null) return null;
  const { path, text, mode } = found;
  if ((mode & 0o002) !== 0)
    throw new ConfigError([`The settings file ${path} is writable by every user: run chmod o-w ${path}.`]);
  return parse(path, text, (mode & 0o007) !== 0);
}

function find({ named, environment, cwd }: Places): { path: string; text: string; mode: number } | null {
  const given = [
    ["--config", named],
    [CONFIG_VARIABLE, environment[CONFIG_VARIABLE]],
  ].find(([, value]) => value !== undefined);
  if (given !== undefined) {
    const [name, value = ""] = given;
    if (value === "") throw new ConfigError([`${name} must not be empty.`]);
    const path = resolve(cwd, value);
    const file = open(path);
    if (file === null) throw new ConfigError([`${name} names ${path}, which does not exist.`]);
    return file;
  }
  const { XDG_CONFIG_HOME, HOME } = environment;
  const home = XDG_CONFIG_HOME || (HOME ? join(HOME, ".config") : "");
  const candidates = [...(home.startsWith("/") ? [join(home, NAME)] : []), join("/etc", NAME)];
  return candidates.map(open).find((file) => file !== null) ?? null;
}

/** Reads a file. Returns null if it does not exist. */
function open(path: string): { path: string; text: string; mode: number } | null {
  try {
    const status = statSync(path);
    if (path === "/dev/null") return { path, mode: 0, text: "" };
    return { path, mode: status.mode, text: readRegularFile(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new ConfigError([`The settings file ${readFailure(path, error)}.`]);
  }
}

function parse(path: string, source: string, isReadable: boolean): SettingsFile {
  const { isMap, isScalar, LineCounter, parseDocument } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const lineAt = (node: unknown) => lines.linePos(rangeOf(node)).line;
  const at = (line: number, sentence: string) => `${path}, line ${line}: ${sentence}.`;
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ code, message, pos: [start] }) =>
      at(lines.linePos(start).line, syntaxFault(code, message)),
    );
    return { path, entries: new Map(), faults };
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null))
    return { path, entries: new Map(), faults: [] };
  if (!isMap(contents))
    return {
      path,
      entries: new Map(),
      faults: [at(lineAt(contents), "the file must be a map of keys to values")],
    };
  const entries = new Map<string, { text: string; line: number }>();
  const faults: string[] = [];
  for (const { key: keyNode, value } of contents.items) {
    const key = isScalar(keyNode) ? String(keyNode.value) : "";
    const line = lineAt(keyNode);
    const setting = KEYS.get(key);
    try {
      if (setting === undefined) throw new Error(unknownKey(key));
      if (setting.secret === true && key === keyOf(setting.variable) && isReadable)
        throw new Error(
          `${key} is a secret, but every user can read the file: run chmod o-rwx ${path}, or use ${key}_file`,
        );
      entries.set(key, { line, text: textOf(key, value, { setting, document, directory: dirname(path) }) });
    } catch (error) {
      faults.push(at(line, (error as Error).message));
    }
  }
  return { path, entries, faults };
}

function rangeOf(node: unknown): number {
  return (node as { range?: [number, number, number] | null } | null)?.range?.[0] ?? 0;
}

/** Returns the parser's message without the part that quotes the file, which may contain a secret. */
function syntaxFault(code: string, message: string): string {
  if (code === "DUPLICATE_KEY") return "the key occurs twice";
  if (code === "MULTIPLE_DOCS") return "the file must be one document";
  return `not valid YAML: ${message.split(/[:\n"]/)[0]?.trim()}`;
}

function unknownKey(key: string): string {
  const nearest = nearestName(key.replaceAll("-", "_").toLowerCase(), [...KEYS.keys()]);
  return `${key} is not a setting${nearest === null ? "" : `; the nearest is ${nearest}`}`;
}

interface Context {
  setting: Setting<unknown>;
  document: Document;
  directory: string;
}

/** Returns the value as text. Lists may be YAML lists; file names in objects get absolute paths. */
function textOf(key: string, given: unknown, { setting, document, directory }: Context): string {
  const { isAlias, isScalar, isSeq } = loadYaml();
  const node = isAlias(given) ? given.resolve(document) : given;
  if (isScalar(node) && node.value !== null)
    return typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
  if (node === null || node === undefined || isScalar(node)) throw new Error(`${key} has no value`);
  if (setting.shape === "list" && isSeq(node) && node.items.every((item) => isScalar(item)))
    return node.items.map((item) => (isScalar(item) ? String(item.value) : "")).join(",");
  if (setting.shape !== "json") throw new Error(`${key} must be a ${setting.shape ?? "single value"}`);
  return JSON.stringify((node as { toJS(document: Document): unknown }).toJS(document), (name, value) =>
    name === "ca_file" && typeof value === "string" && value !== "" ? resolve(directory, value) : value,
  );
}
