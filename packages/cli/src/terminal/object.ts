import { paletteFor, widthLimitOf } from "./palette.ts";
import { cut, plainLine } from "./plain-text.ts";
import { fittedTable, table } from "./table.ts";

type Thing = Record<string, unknown>;

const NAME_FIELDS = [
  "name",
  "display_name",
  "display_title",
  "title",
  "filename",
  "mount_path",
  "url",
  "path",
  "operation",
  "version",
  "provider",
];

/**
 * Formats an object as lines of field and value. Nested fields have the names that `-f` and `-F` accept.
 * Empty or null nested fields have no line.
 */
export function objectLines(object: Thing): string[] {
  const { dim } = paletteFor(process.stdout);
  const fields = Object.entries(object).flatMap(([name, value]) => fieldsOf(name, value));
  return table(fields.map(([name, value]) => [dim(name), cut(textOf(value), 200)]));
}

/** Returns the fields of a value. Lists of objects are shown as JSON. */
function fieldsOf(name: string, value: unknown): Array<[name: string, value: unknown]> {
  if (typeof value !== "object" || value === null) return [[name, value]];
  if (Array.isArray(value)) return [[name, isPlain(value) ? value.join(", ") || null : value]];
  const inner = Object.entries(value).filter(([, one]) => one !== null && !isEmpty(one));
  if (inner.length === 0) return [[name, null]];
  return inner.flatMap(([key, one]) => fieldsOf(`${plainLine(name)}.${plainLine(key)}`, one));
}

function isPlain(list: readonly unknown[]): boolean {
  return list.every((item) => typeof item !== "object");
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Returns the name of an object, or null if it has none. */
export function nameOf(object: Thing): string | null {
  const names = NAME_FIELDS.map((field) => object[field]);
  const name = names.find((value) => typeof value === "string" && value !== "");
  return typeof name === "string" ? name : null;
}

const FACT_FIELDS = [
  "type",
  "status",
  "parent_id",
  "default",
  "effective_context_window",
  "price",
  "created_at",
];

/** The same of objects for which other facts count. */
const FACTS_OF: Readonly<Record<string, readonly string[]>> = {
  deployment_run: ["session_id", "error", "created_at"],
};

/** Columns that only a wide terminal has, by the type of the objects. */
const WIDE_ONLY: Readonly<Record<string, string>> = { token: "parent_id", deployment_run: "created_at" };

/** Minimum terminal width for columns that others can do without. */
const WIDE = 100;

/** Formats objects as a table: id, up to two naming fields, other facts, and time of creation. */
export function listLines(objects: readonly Thing[]): string[] {
  if (objects.length === 0) return [];
  const { dim } = paletteFor(process.stdout);
  const limit = widthLimitOf(process.stdout) ?? Number.POSITIVE_INFINITY;
  const has = (name: string) => objects.some((object) => object[name] !== undefined && object[name] !== "");
  const naming = NAME_FIELDS.filter(has).slice(0, 2);
  const type = String(objects[0]?.type);
  const facts = FACTS_OF[type] ?? FACT_FIELDS;
  const columns = ["id", ...naming, ...facts.filter(has)].filter(
    (name) => (name !== "type" || naming.length === 0) && (limit >= WIDE || name !== WIDE_ONLY[type]),
  );
  const rows = objects.map((object) => columns.map((name) => cut(cellOf(name, object[name]), 60)));
  return fittedTable(
    columns.map((name) => name.replaceAll("_", " ").toUpperCase()),
    rows,
    {
      shrinks: columns.flatMap((name, at) => (naming.includes(name) || name === "error" ? [at] : [])),
      columns: limit,
      styleHead: dim,
    },
  );
}

/**
 * Formats a cell. A price is in US dollars per million tokens, such as `$5 in, $25 out`; a time is in UTC,
 * such as `2026-11-24 10:29`; an error has its type and message.
 */
function cellOf(name: string, value: unknown): string {
  if (name === "created_at" && typeof value === "string") return minuteOf(value);
  if (name === "error" && value !== null && typeof value === "object") {
    const { type, message } = value as Record<string, unknown>;
    return `${textOf(type)}: ${textOf(message)}`;
  }
  if (name !== "price" || value === null || typeof value !== "object") return textOf(value);
  const { input, output } = value as Record<string, unknown>;
  return `$${textOf(input)} in, $${textOf(output)} out`;
}

/** Formats a UTC time as `2026-11-24 10:29`. */
export function minuteOf(time: string): string {
  return plainLine(time).replace("T", " ").slice(0, 16);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "-";
  return plainLine(typeof value === "object" ? JSON.stringify(value) : String(value));
}
