import type { Draft } from "@berth/agent";
import { formatId } from "@berth/contract";
import type { Placed, PlacementFault } from "../inputs/placement.ts";
import { isRepository, type RunRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunLog } from "../lease/run-log.ts";

interface Target {
  runLog: Pick<RunLog, "append" | "appendPlacement">;
  notes: string[];
}

/** Reports a resource in place. Notes for the model say what is missing, and that a failure is over. */
export async function reportReady(
  { runLog, notes }: Target,
  resource: RunResource,
  began: number,
  { commit, note, noSnapshot, unprepared }: Placed,
): Promise<void> {
  const seconds = Math.round(performance.now() - began) / 1000;
  const event = {
    type: "session.resource_ready" as const,
    resource_id: formatId("session_resource", resource.id),
    seconds,
    ...(commit === undefined ? {} : { commit }),
    ...(note === undefined ? {} : { note }),
    ...(noSnapshot === undefined ? {} : { snapshot_error: noSnapshot }),
  };
  const drafts = unprepared === undefined ? [] : [unpreparedError(resource, unprepared)];
  const cloned = isRepository(resource) ? (commit ?? "") : null;
  await runLog.appendPlacement([...drafts, { event }], resource.id, { type: "ready", commit: cloned });
  dropFailure(notes, resource);
  if (unprepared !== undefined) notes.push(`[${unprepared}]`);
  if (resource.failedAt !== null) notes.push(`[${named(resource)} is now at ${resource.mountPath}.]`);
  if (note !== undefined) notes.push(`[${named(resource)} at ${resource.mountPath}: ${note}]`);
}

/**
 * Reports a failure. The resource is not tried again until something about it changes or, when its attempts
 * are exhausted, until the next turn.
 */
export async function reportFailed(
  { runLog, notes }: Target,
  resource: RunResource,
  fault: PlacementFault,
  attempts = 0,
): Promise<void> {
  const { id, inputs } = resource;
  const draft = errorOf(resource, fault, attempts === 0 ? "terminal" : "exhausted");
  await runLog.appendPlacement([draft], id, { type: "failed", failure: fault.message, inputs, attempts });
  dropFailure(notes, resource);
  notes.push(`${failureNote(resource)}${fault.message}]`);
}

/** Returns the beginning of a failure's note. */
function failureNote(resource: RunResource): string {
  return `[${named(resource)} is not at ${resource.mountPath}: `;
}

/** Drops the note of an earlier failure that the model has not seen, since it is out of date. */
function dropFailure(notes: string[], resource: RunResource): void {
  const others = notes.filter((note) => !note.startsWith(failureNote(resource)));
  notes.splice(0, notes.length, ...others);
}

/** Reports a failure after which the repository is tried again in `waitMs`. */
export async function reportRetrying(
  { runLog }: Target,
  repository: RunRepository,
  fault: PlacementFault,
  waitMs: number,
): Promise<void> {
  const { id, revision } = repository;
  const draft = errorOf(repository, fault, "retrying");
  await runLog.appendPlacement([draft], id, { type: "retrying", waitMs, revision });
}

/** Reports a failure whose inputs have changed meanwhile. The next attempt begins at once with new ones. */
export async function reportOutdated({ runLog }: Target, resource: RunResource, fault: PlacementFault) {
  await runLog.append([errorOf(resource, fault, "retrying")]);
}

function unpreparedError(resource: RunResource, message: string): Draft {
  return errorOf(resource, { type: "environment_error", message }, "exhausted");
}

function errorOf(
  { id }: RunResource,
  { type, message }: PlacementFault,
  status: "retrying" | "exhausted" | "terminal",
): Draft {
  const resource_id = formatId("session_resource", id);
  return {
    event: { type: "session.error", error: { type, message, retry_status: { type: status }, resource_id } },
  };
}

function named(resource: RunResource): string {
  if (resource.type === "file") return "The file";
  if (resource.type === "memory_store") return `The memory store "${resource.name}"`;
  return `The repository ${resource.url}`;
}
