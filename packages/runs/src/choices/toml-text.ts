import { parse } from "smol-toml";
import { isObject, type JsonObject } from "./json-text.ts";

/** A TOML text that was read. */
export interface TomlText {
  value: JsonObject;
  /** Returns the number of the line, from 1, of a key in a table, such as `tools`; 1 when it is not found. */
  lineOf(table: string, key: string): number;
}

/** Reads a TOML text. @returns a clause of why it cannot be read. */
export function readToml(text: string): TomlText | string {
  try {
    const value: unknown = parse(text.replace(/^\uFEFF/, ""));
    if (!isObject(value)) return "it is not valid TOML";
    return { value, lineOf: (table, key) => lineOfKey(text, table, key) };
  } catch {
    // Also when it is nested more deeply than the stack allows.
    return "it is not valid TOML";
  }
}

/** Looks for `[table]` and `key =` in the usual notation, and for `table.key =`. */
function lineOfKey(text: string, table: string, key: string): number {
  let current = "";
  let found = 1;
  for (const [index, line] of text.split("\n").entries()) {
    const header = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) current = bare(header);
    const name = /^\s*([\w."':@/-]+)\s*=/.exec(line)?.[1];
    if (name === undefined) continue;
    const path = current === "" ? bare(name) : `${current}.${bare(name)}`;
    if (path === `${table}.${key}` || path === table) found = index + 1;
  }
  return found;
}

function bare(name: string): string {
  return name.replace(/["'\s]/g, "");
}
