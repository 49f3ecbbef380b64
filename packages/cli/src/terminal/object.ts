import { paletteFor } from "./palette.ts";
import { cut, plainLine } from "./plain-text.ts";
import { table } from "./table.ts";

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
];

/** Formats an object as lines of field and value. Nested values are JSON. */
export function objectLines(object: Thing): string[] {
  const { dim } = paletteFor(process.stdout);
  return table(Object.entries(object).map(([name, value]) => [dim(name), cut(textOf(value), 200)]));
}

/** Formats objects as a table: id, up to two fields that name them, status, parent and time of creation. */
export function listLines(objects: readonly Thing[]): string[] {
  if (objects.length === 0) return [];
  const { dim } = paletteFor(process.stdout);
  const has = (name: string) => objects.some((object) => object[name] !== undefined && object[name] !== "");
  const naming = NAME_FIELDS.filter(has).slice(0, 2);
  const columns = ["id", ...naming, ...["type", "status", "parent_id", "created_at"].filter(has)].filter(
    (name) => name !== "type" || naming.length === 0,
  );
  const head = columns.map((name) => dim(name.replaceAll("_", " ").toUpperCase()));
  return table([head, ...objects.map((object) => columns.map((name) => cut(textOf(object[name]), 60)))]);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "-";
  return plainLine(typeof value === "object" ? JSON.stringify(value) : String(value));
}
