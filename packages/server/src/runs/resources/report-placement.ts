import { formatId } from "@berth/contract";
import type { Queryable } from "../../db/statement.ts";
import type { PlacementFault } from "../inputs/placement.ts";
import { markFailed, markReady, type RunResource } from "../inputs/resource-store.ts";
import type { Lease } from "../lease/lease.ts";
import type { RunLog } from "../lease/run-log.ts";

interface Target {
  lease: Lease;
  runLog: RunLog;
  notes: string[];
}

/** Appends the event before it marks the row: after a crash between them the resource is put in place again, which is harmless. */
export async function reportReady(
  db: Queryable,
  { lease, runLog }: Target,
  resource: RunResource,
  began: number,
  commit: string | undefined,
): Promise<void> {
  const seconds = Math.round(performance.now() - began) / 1000;
  await runLog.append([
    {
      event: {
        type: "session.resource_ready",
        resource_id: formatId("session_resource", resource.id),
        seconds,
        ...(commit === undefined ? {} : { commit }),
      },
    },
  ]);
  await markReady(db, lease, resource.id);
}

export async function reportFailed(
  db: Queryable,
  { lease, runLog, notes }: Target,
  resource: RunResource,
  { type, message }: PlacementFault,
): Promise<void> {
  await runLog.append([
    {
      event: {
        type: "session.error",
        error: {
          type,
          message,
          retry_status: { type: "terminal" },
          resource_id: formatId("session_resource", resource.id),
        },
      },
    },
  ]);
  await markFailed(db, lease, resource.id, message);
  notes.push(`[${named(resource)} is not at ${resource.mountPath}: ${message}]`);
}

function named(resource: RunResource): string {
  if (resource.type === "file") return "The file";
  if (resource.type === "memory_store") return `The memory store "${resource.name}"`;
  return `The repository ${resource.url}`;
}
