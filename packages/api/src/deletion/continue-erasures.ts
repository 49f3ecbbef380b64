import { formatId } from "@berth/contract";
import { appendAuditEntry } from "@berth/store/audit";
import type { BlobStore } from "@berth/store/blobs";
import type { DatabaseAccess } from "@berth/store/db";
import { removeUnusedContent } from "@berth/store/files";
import type { Logger } from "pino";
import {
  deleteAgents,
  deleteConnections,
  deleteDeployments,
  deleteEnvironments,
  deleteFiles,
  deleteMemoryStores,
  deleteSaves,
  deleteSkills,
  deleteSubject,
  deleteVaults,
  deleteWebhooks,
  type EraseBatch,
  forgetNames,
  forgetUsage,
  handOver,
  markSessions,
} from "./erased-rows-store.ts";
import {
  completeErasure,
  countErased,
  type Erasure,
  erasedContents,
  forgetContent,
  noteHandedOver,
  remainingSessions,
  unfinishedErasures,
} from "./erasure-store.ts";

export interface ErasureDeps {
  db: DatabaseAccess;
  blobs: BlobStore;
  log: Logger;
}

const BATCH = 100;

/** Deletions that do not have to wait for the sessions' disks, once the sessions are marked as deleted. */
const BESIDE_SESSIONS: readonly EraseBatch[] = [
  deleteWebhooks,
  deleteDeployments,
  markSessions,
  forgetNames,
  deleteSaves,
  deleteVaults,
  deleteFiles,
  deleteSkills,
  deleteMemoryStores,
];
/** Deletions of what session rows refer to, and of their usage. */
const AFTER_SESSIONS: readonly EraseBatch[] = [
  forgetUsage,
  deleteConnections,
  deleteAgents,
  deleteEnvironments,
];

/**
 * Continues all erasures. Each batch is its own transaction, so the work can stop at any point and the next
 * call continues from there. An erasure is complete when nothing of its subject is left; until then it waits
 * for workers to remove the sessions' disks.
 *
 * @param sinceMs also repeats erasures completed within this many milliseconds, to delete what requests that
 * had begun before stored.
 */
export async function continueErasures(
  deps: ErasureDeps,
  signal: AbortSignal,
  sinceMs?: number,
): Promise<void> {
  for (const erasure of await unfinishedErasures(deps.db.write, sinceMs)) {
    if (signal.aborted) return;
    // A failing erasure does not block the others. It is retried at the next call.
    await continueErasure(deps, erasure, signal).catch((error: unknown) =>
      deps.log.error({ err: error, erasure: erasure.id }, "an erasure could not continue"),
    );
  }
}

async function continueErasure(deps: ErasureDeps, erasure: Erasure, signal: AbortSignal): Promise<void> {
  const { db } = deps;
  for (const erase of BESIDE_SESSIONS) await eraseAll(deps, erasure, erase, signal);
  const areContentsGone = await removeContents(deps, erasure, signal);
  if ((await remainingSessions(db.write, erasure)).length > 0) return;
  for (const erase of AFTER_SESSIONS) await eraseAll(deps, erasure, erase, signal);
  if (areContentsGone && !signal.aborted) await complete(deps, erasure);
}

async function eraseAll(
  { db }: ErasureDeps,
  { id, ...erasure }: Erasure,
  erase: EraseBatch,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const wasMore = await db.transaction(async (tx) => {
      const counts = await erase(tx, { id, ...erasure }, BATCH);
      const isAny = Object.values(counts).some((count) => count > 0);
      if (isAny) await countErased(tx, id, counts);
      return isAny;
    });
    if (!wasMore) return;
  }
}

/** Removes contents that nobody else uses. Returns false while some must stay, as during a backup. */
async function removeContents(
  { db, blobs }: ErasureDeps,
  { id }: Erasure,
  signal: AbortSignal,
): Promise<boolean> {
  for (const sha256 of await erasedContents(db.write, id)) {
    if (signal.aborted) return false;
    if (!(await removeUnusedContent(db, blobs, sha256))) return false;
    await forgetContent(db.write, id, sha256);
  }
  return true;
}

async function complete({ db, log }: ErasureDeps, erasure: Erasure): Promise<void> {
  const isNew = await db.transaction(async (tx) => {
    const handedOver = erasure.subject_type === "user" ? await handOver(tx, erasure) : [];
    if (handedOver.length > 0) await noteHandedOver(tx, erasure.id, handedOver);
    await countErased(tx, erasure.id, await deleteSubject(tx, erasure));
    if (!(await completeErasure(tx, erasure.id))) return false;
    await appendAuditEntry(tx, {
      organizationId: erasure.organization_id,
      actor: { type: "service" },
      operation: "erasure complete",
      resources: [formatId(erasure.subject_type, erasure.subject_id)],
      ...{ client: "berth", userAgent: null, requestId: null },
    });
    return true;
  });
  if (isNew) log.info({ erasure: erasure.id }, `the data of ${aOrAn(erasure.subject_type)} was erased`);
}

function aOrAn(type: Erasure["subject_type"]): string {
  return type === "user" ? "a user" : "an organization";
}
