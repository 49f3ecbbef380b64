import { createHash } from "node:crypto";
import { stringify } from "yaml";

export type Value = unknown;

/** The template functions that the chart uses, except `include`. A call of another one fails. */
export const FUNCTIONS: Readonly<Record<string, (...words: Value[]) => Value>> = {
  and: (...words) => words.find((word) => !isTrue(word)) ?? words.at(-1),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  dict: (...words) => Object.fromEntries(pairsOf(words)),
  eq: (left, right) => left === right,
  first: (list) => (list as Value[])[0],
  index: (map, key) => (map as Record<string, Value>)[String(key)],
  kindIs: (kind, value) => kindOf(value) === kind,
  list: (...words) => words,
  ne: (left, right) => left !== right,
  nindent: (count, text) => `\n${textOf(text)}`.replaceAll("\n", `\n${" ".repeat(Number(count))}`),
  not: (value) => !isTrue(value),
  or: (...words) => words.find(isTrue) ?? words.at(-1),
  quote: (value) => JSON.stringify(textOf(value)),
  required(message, value) {
    if (value === undefined || value === null || value === "") throw new Error(textOf(message));
    return value;
  },
  sha256sum: (text) => createHash("sha256").update(textOf(text)).digest("hex"),
  toJson: (value) => JSON.stringify(sorted(value)).replaceAll(/[<>&]/g, escapeHtml),
  toYaml: (value) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd(),
  upper: (text) => textOf(text).toUpperCase(),
};

/** Returns the kind of a value as Go names it. Numbers are float64 in Helm. */
function kindOf(value: Value): string {
  if (Array.isArray(value)) return "slice";
  if (value === null || value === undefined) return "invalid";
  const kinds: Record<string, string> = { object: "map", boolean: "bool", number: "float64" };
  return kinds[typeof value] ?? typeof value;
}

/** Whether a value is true in a template: neither false, zero, null, nor empty. */
export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/**
 * Returns the text that an action prints. @throws where Helm would print `<no value>`, `map[…]`, or a large
 * number with an exponent.
 */
export function textOf(value: Value): string {
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Math.abs(value) < 1e6) return String(value);
  throw new Error(`${JSON.stringify(value) ?? "nothing"} cannot be printed`);
}

function pairsOf(words: readonly Value[]): [string, Value][] {
  return words.flatMap((word, at) => (at % 2 === 0 ? [[textOf(word), words[at + 1]]] : []));
}

function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}

function escapeHtml(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
