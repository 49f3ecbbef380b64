import { formatId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { PlacementFault } from "../inputs/placement.ts";
import { markFailed, markReady, markRetrying } from "../inputs/placement-store.ts";
import type { RunRepository, RunResource } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";

interface Target {
  lease: Lease;
  runLog: RunLog;
  notes: string[];
}

/**
 * Appends the event before it marks the row: after a crash between them the resource is put in place again, which is harmless.
 * The model is told when it may know of a failure.
 */
export async function reportReady(
  db: Queryable,
  { lease, runLog, notes }: Target,
  resource: RunResource,
  began: number,
  { commit, note }: { commit?: string; note?: string },
): Promise<void> {
  const seconds = Math.round(performance.now() - began) / 1000;
  await runLog.append([
    {
      event: {
        type: "session.resource_ready",
        resource_id: formatId("session_resource", resource.id),
        seconds,
        ...(commit === undefined ? {} : { commit }),
        ...(note === undefined ? {} : { note }),
      },
    },
  ]);
  await markReady(db, lease, resource.id);
  if (resource.failedAt !== null) notes.push(`[${named(resource)} is now at ${resource.mountPath}.]`);
  if (note !== undefined) notes.push(`[${named(resource)} at ${resource.mountPath}: ${note}]`);
}

/** It is not tried again until something about it changes or, when its attempts are exhausted, until the next turn. */
export async function reportFailed(
  db: Queryable,
  target: Target,
  resource: RunResource,
  fault: PlacementFault,
  attempts = 0,
): Promise<void> {
  await appendError(target, resource, fault, attempts === 0 ? "terminal" : "exhausted");
  await markFailed(db, target.lease, resource, fault.message, attempts);
  target.notes.push(`[${named(resource)} is not at ${resource.mountPath}: ${fault.message}]`);
}

/** It is tried again after `waitMs`. */
export async function reportRetrying(
  db: Queryable,
  target: Target,
  repository: RunRepository,
  fault: PlacementFault,
  waitMs: number,
): Promise<void> {
  await appendError(target, repository, fault, "retrying");
  await markRetrying(db, target.lease, repository, waitMs);
}

/** An attempt failed whose inputs have changed meanwhile: it is tried again at once with the present ones. */
export async function reportOutdated(target: Target, resource: RunResource, fault: PlacementFault) {
  await appendError(target, resource, fault, "retrying");
}

async function appendError(
  { runLog }: Target,
  { id }: RunResource,
  { type, message }: PlacementFault,
  status: "retrying" | "exhausted" | "terminal",
): Promise<void> {
  const resource_id = formatId("session_resource", id);
  const error = { type, message, retry_status: { type: status }, resource_id };
  await runLog.append([{ event: { type: "session.error", error } }]);
}

function named(resource: RunResource): string {
  if (resource.type === "file") return "The file";
  if (resource.type === "memory_store") return `The memory store "${resource.name}"`;
  return `The repository ${resource.url}`;
}
