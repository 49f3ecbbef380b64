import { Readable } from "node:stream";
import type { AuditEntry, adminRoutes, Input } from "@berth/contract";
import { type AuditFilter, listAuditEntries } from "@berth/store/audit";
import type { Queryable } from "@berth/store/db";
import type { AdminRequest } from "./admin-mount.ts";
import { filterOf } from "./list-audit-entries.ts";

type Export = typeof adminRoutes.adminAuditEntries.export;
type Format = Input<Export>["query"]["format"];

/** Entries that are read at a time, and so at most in memory. */
const BATCH = 500;

const TYPES: Readonly<Record<Format, string>> = {
  jsonl: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
};

/** The columns of CSV, in their order. */
const COLUMNS = [
  ...["id", "created_at", "organization_id", "organization", "actor_type", "actor_id", "actor", "token_id"],
  ...["operation", "resources", "client", "user_agent", "request_id"],
] as (keyof AuditEntry)[];

/** Returns a response with all entries that the query selects, newest first, which are read as they are sent. */
export async function exportAuditEntries({ db }: AdminRequest, { query }: Input<Export>) {
  const { format } = query;
  return {
    status: 200 as const,
    headers: {
      "content-type": TYPES[format],
      "content-disposition": `attachment; filename="audit-log.${format}"`,
      "cache-control": "no-store",
    },
    body: Readable.from(textOf(db.read, filterOf(query), format), { objectMode: false }),
  };
}

async function* textOf(db: Queryable, filter: AuditFilter, format: Format): AsyncGenerator<string> {
  if (format === "csv") yield lineOf(COLUMNS);
  let before: string | undefined;
  do {
    const entries = await listAuditEntries(db, filter, BATCH, before);
    yield entries.map(format === "csv" ? rowOf : (entry) => `${JSON.stringify(entry)}\n`).join("");
    before = entries.length < BATCH ? undefined : entries.at(-1)?.id;
  } while (before !== undefined);
}

function rowOf(entry: AuditEntry): string {
  return lineOf(
    COLUMNS.map((column) => {
      const value = entry[column];
      return Array.isArray(value) ? value.join(" ") : (value ?? "");
    }),
  );
}

/** Formats a row as in RFC 4180. An apostrophe marks as text what a spreadsheet would take for a formula. */
function lineOf(cells: readonly string[]): string {
  const quoted = cells.map((cell) => {
    const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${quoted.join(",")}\r\n`;
}
