import { formatId, type IdKind } from "@berth/contract";
import { appendAuditEntry } from "@berth/store/audit";
import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess, Queryable } from "@berth/store/db";
import { removeUnusedContent } from "@berth/store/files";
import { RETAINED_NAMES, type RetainedName, type RetentionDays } from "@berth/store/names";
import { readRetention } from "@berth/store/retention";
import type { Logger } from "pino";
import {
  appendEventsDeleted,
  deleteEvents,
  deleteExpiredFiles,
  deleteExpiredRuns,
  deleteExpiredSessions,
  type Expired,
  expiredSince,
  sessionsWithExpiredEvents,
} from "./expired-store.ts";

export interface RetentionDeps {
  db: DatabaseAccess;
  blobs: BlobStore;
  log: Logger;
  /** Days for organizations without values of their own. Default: everything is kept. */
  defaults?: RetentionDays;
  /** Milliseconds of a day, which tests shorten. Default: 24 hours. */
  dayMs?: number;
}

const DAY_MS = 86_400_000;
/** Maximum number of objects deleted in one transaction, with one entry in the audit log. */
const BATCH = 100;
const EVENTS_BATCH = 5_000;
const RUNS_BATCH = 1_000;

/** Deletes one batch, and returns the uuids of what was deleted. */
type DeleteBatch = (deps: RetentionDeps, expired: Expired, signal: AbortSignal) => Promise<string[]>;

const DELETE: Readonly<Record<RetainedName, DeleteBatch>> = {
  sessions: deleteSessionBatch,
  events: deleteEventBatch,
  files: deleteFileBatch,
};

/**
 * Deletes what is older than the retention of its organization. Can stop at any point; the next call
 * continues from there. Keeps sessions that a worker leases, and files that an active session uses.
 */
export async function applyRetention(deps: RetentionDeps, signal: AbortSignal): Promise<void> {
  const { db, defaults = {}, dayMs = DAY_MS } = deps;
  for (const [organizationId, own] of await readRetention(db.write)) {
    const retention: RetentionDays = { ...defaults, ...own };
    for (const name of RETAINED_NAMES) {
      const days = retention[name] ?? null;
      if (days === null || signal.aborted) continue;
      const expired = await expiredSince(db.write, organizationId, days * dayMs);
      await deleteAll(deps, name, expired, signal);
      if (name === "sessions") await deleteRuns(deps, expired, signal);
    }
  }
}

async function deleteAll(
  deps: RetentionDeps,
  name: RetainedName,
  expired: Expired,
  signal: AbortSignal,
): Promise<void> {
  let deleted = 0;
  let { after } = expired;
  while (!signal.aborted) {
    const ids = await DELETE[name](deps, { ...expired, after }, signal);
    deleted += ids.length;
    if (ids.length < BATCH) break;
    after = ids.toSorted().at(-1) ?? after;
  }
  if (deleted === 0) return;
  const organization = formatId("organization", expired.organizationId);
  const what = name === "events" ? "the events of sessions" : name;
  const count = name === "events" ? { sessions: deleted } : { deleted };
  deps.log.info({ organization, ...count }, `${what} were deleted after their retention`);
}

/** Deletes runs of deployments, which are kept as long as sessions. */
async function deleteRuns({ db }: RetentionDeps, expired: Expired, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await deleteExpiredRuns(db.write, expired, RUNS_BATCH)) === RUNS_BATCH);
}

async function deleteSessionBatch({ db }: RetentionDeps, expired: Expired): Promise<string[]> {
  return await db.transaction(async (tx) => {
    const ids = await deleteExpiredSessions(tx, expired, BATCH);
    await audit(tx, expired, "retention sessions", "session", ids);
    return ids;
  });
}

/** Deletes events in batches, oldest first. The last transaction records that they are deleted. */
async function deleteEventBatch(
  { db }: RetentionDeps,
  expired: Expired,
  signal: AbortSignal,
): Promise<string[]> {
  const ids = await sessionsWithExpiredEvents(db.write, expired, BATCH);
  const deleted: string[] = [];
  for (const id of ids) {
    let isWhole = false;
    while (!isWhole && !signal.aborted)
      isWhole = await db.transaction(async (tx) => {
        if ((await deleteEvents(tx, id, EVENTS_BATCH)) === EVENTS_BATCH) return false;
        if (await appendEventsDeleted(tx, id)) await audit(tx, expired, "retention events", "session", [id]);
        return true;
      });
    if (isWhole) deleted.push(id);
  }
  return deleted;
}

async function deleteFileBatch({ db, blobs }: RetentionDeps, expired: Expired): Promise<string[]> {
  const files = await db.transaction(async (tx) => {
    const deleted = await deleteExpiredFiles(tx, expired, BATCH);
    const ids = deleted.map(({ id }) => id);
    await audit(tx, expired, "retention files", "file", ids);
    return deleted;
  });
  for (const { sha256 } of files) if (sha256 !== null) await removeUnusedContent(db, blobs, sha256);
  return files.map(({ id }) => id);
}

async function audit(
  tx: Queryable,
  { organizationId }: Expired,
  operation: string,
  kind: IdKind,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const resources = ids.map((id) => formatId(kind, id));
  await appendAuditEntry(tx, {
    ...{ organizationId, operation, resources, actor: { type: "service" }, client: "berth" },
    ...{ userAgent: null, requestId: null },
  });
}
