import { formatFieldPath } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { checkJsonShape } from "./check-json-shape.ts";

/**
 * Parses a JSON document: UTF-8 without a byte order mark, of a shape that `checkJsonShape` accepts, without
 * `__proto__` keys, and with text that the database can store.
 *
 * @throws errors.invalid, with the path of the faulty value where there is one.
 */
export function parseJson(bytes: Uint8Array): unknown {
  checkJsonShape(bytes);
  const value = parse(decode(bytes));
  inspect(value, []);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw errors.invalid("The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw errors.invalid("The body is not valid JSON.");
  }
}

function inspect(value: unknown, path: PropertyKey[]): void {
  if (typeof value === "string") inspectText(value, path);
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    path.push(step);
    if (key === "__proto__") throw fault("The key '__proto__' is not allowed.", path);
    if (typeof step === "string") inspectText(step, path);
    inspect(child, path);
    path.pop();
  }
}

function inspectText(text: string, path: PropertyKey[]): void {
  if (text.includes("\0")) throw fault("Text must not contain NUL characters.", path);
  if (!text.isWellFormed()) throw fault("Text must not contain lone surrogates.", path);
}

function fault(message: string, path: PropertyKey[]): Error {
  return errors.invalid(message, formatFieldPath(path) ?? undefined);
}
