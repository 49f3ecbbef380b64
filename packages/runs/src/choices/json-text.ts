import stripJsonComments from "strip-json-comments";

/** An object in a JSON text. */
export type JsonObject = { readonly [name: string]: unknown };

/** A JSON text that was read. */
export interface JsonText {
  value: JsonObject;
  /** Returns the number of the line of a field, from 1, by the names that lead to it. */
  lineOf(...names: readonly string[]): number;
}

/**
 * Reads a JSON text with an object, with comments and trailing commas if they are allowed there.
 *
 * @returns a clause of why it cannot be read.
 */
export function readJsonObject(text: string, { comments = false } = {}): JsonText | string {
  try {
    const bare = text.replace(/^\uFEFF/, "");
    const plain = comments ? stripJsonComments(bare, { trailingCommas: true }) : bare;
    const value: unknown = JSON.parse(plain, wellFormed);
    if (!isObject(value)) return "it holds no JSON object";
    return { value, lineOf: (...names) => lineOfField(plain, names) };
  } catch {
    return "it is not valid JSON";
  }
}

/** Escapes may write half a character, which the database rejects. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|\n/g;

/** Returns the line of the field's name in valid JSON; 1 when there is none. Of two, the last counts. */
function lineOfField(text: string, names: readonly string[]): number {
  // The name of the field that each open object is in; null for a list.
  const path: (string | null)[] = [];
  let line = 1;
  let found = 1;
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "\n") line += 1;
    else if (token === "{" || token === "[") path.push(token === "{" ? "" : null);
    else if (token === "}" || token === "]") path.pop();
    else if (token === ":") {
      path[path.length - 1] = last;
      if (path.length === names.length && names.every((name, index) => path[index] === name)) found = line;
    } else if (token !== ",") last = nameOf(token);
  }
  return found;
}

function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return "";
  }
}
