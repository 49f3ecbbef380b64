import { formatId } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { Queryable } from "../../db/statement.ts";
import type { SessionCredentials } from "../credentials/session-credentials.ts";
import type { CloneRepository, Placement } from "../inputs/placement.ts";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";
import type { BegunLooks } from "../snapshots/prefetched-refs.ts";
import { leaveTemplate } from "../snapshots/snapshot-store.ts";
import type { Look, Templates } from "../snapshots/repository-snapshots.ts";
import { createProgressReport } from "./progress-report.ts";

export interface CloneParts {
  credentials: Pick<SessionCredentials, "repositoryInside" | "unsealedRepository">;
  db: { read: Queryable; write: Queryable };
  clone: CloneRepository;
  templates: Templates;
}

export interface CloneTarget {
  lease: Lease;
  sandbox: Sandbox;
  runLog: RunLog;
  /** Looks that were begun before the sandbox was open. */
  looks: BegunLooks;
}

/**
 * Puts one repository at its place and tells how far it is: over a template where there is one and the session's own
 * credential may read the repository now, else by a clone, which tells what is wrong. Has a template made for the next.
 *
 * @param shown Uuids of the repositories over which this sandbox shows a template.
 */
export async function cloneInto(
  parts: CloneParts,
  target: CloneTarget,
  repository: RunRepository,
  shown: Set<string>,
): Promise<Placement> {
  const { lease, runLog, sandbox } = target;
  const { checkout } = repository;
  const report = createProgressReport(runLog, formatId("session_resource", repository.id));
  const opened = parts.credentials.unsealedRepository(repository);
  const want = () => parts.templates.want(lease.sessionId, { repository: opened, checkout });
  try {
    const look = shown.has(repository.id) ? null : await lookAt(parts, target, repository);
    const inside = await parts.credentials.repositoryInside(repository);
    const request = { ...inside, checkout, onProgress: report.progress };
    const place = { lease, sandbox, resourceId: repository.id, shown };
    const served = look && (await parts.templates.serve(look, place, request));
    if (served !== null) {
      if (served.stale) want();
      return { commit: served.commit };
    }
    const anew = shown.has(repository.id);
    // One of before, or one that could not be mounted: a clone that refers to it could not be shown again.
    if (!anew && (look !== null || repository.template !== null))
      await leaveTemplate(parts.db.write, lease, repository.id);
    const outcome = await parts.clone(sandbox, { ...request, anew });
    if (outcome !== "later" && !("fault" in outcome)) want();
    return outcome;
  } finally {
    await report.end();
  }
}

/** With the credential of the repository itself, as the server asks. */
async function lookAt(
  { templates, credentials }: CloneParts,
  { lease, looks }: CloneTarget,
  repository: RunRepository,
): Promise<Look> {
  return await (looks.take(repository.id) ??
    templates.look(lease.sessionId, credentials.unsealedRepository(repository)));
}
