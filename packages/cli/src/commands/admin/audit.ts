import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AuditEntry } from "@berth/sdk";
import { isForPeople, printItem } from "../../shared/output.ts";
import { type AdminOptions, administer } from "./administer.ts";
import { printRows } from "./print-rows.ts";

interface AuditOptions extends AdminOptions {
  org?: string;
  user?: string;
  operation?: string;
  resource?: string;
  since?: Date;
  until?: Date;
  limit: number;
  all?: boolean;
  format?: "jsonl" | "csv";
}

const PAGE = 100;

/** Prints the newest entries: a table for people, else each as soon as it is read. */
export async function listAuditEntries({
  org,
  limit,
  all,
  format,
  ...options
}: AuditOptions): Promise<undefined> {
  const { admin, named } = await administer(options);
  const { user, operation, resource, since, until } = options;
  const filter = {
    ...(org !== undefined && { organization_id: await named.organization(org) }),
    ...(user !== undefined && { user_id: await named.user(user) }),
    ...(operation !== undefined && { operation }),
    ...(resource !== undefined && { resource }),
    created_at: { gte: since, lt: until },
  };
  if (format !== undefined) return await printExport(await admin.auditEntries.export({ ...filter, format }));
  const rows: ReturnType<typeof auditRow>[] = [];
  let left = all ? Number.POSITIVE_INFINITY : limit;
  for await (const entry of admin.auditEntries.list({ ...filter, limit: Math.min(left, PAGE) })) {
    if (isForPeople(options)) rows.push(auditRow(entry));
    else await printItem(entry, options);
    left -= 1;
    if (left === 0) break;
  }
  if (isForPeople(options)) await printRows(rows, AUDIT_COLUMNS, options);
}

/** Prints a file as it arrives. */
async function printExport({ body }: Response): Promise<undefined> {
  if (body !== null) await pipeline(Readable.fromWeb(body), process.stdout, { end: false });
}

const AUDIT_COLUMNS = ["time", "actor", "operation", "resources", "client"] as const;

function auditRow({ created_at, actor_type, actor_id, ...entry }: AuditEntry) {
  const actor = entry.actor ?? actor_id ?? actor_type;
  return { ...entry, time: created_at, actor, resources: entry.resources.join(" ") || null };
}
