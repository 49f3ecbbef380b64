import type { Draft } from "@berth/agent";
import { formatId } from "@berth/contract";
import type { Placed, PlacementFault } from "../inputs/placement.ts";
import { isRepository, type RunRepository, type RunResource } from "../inputs/resource-store.ts";
import type { RunLog } from "../lease/run-log.ts";

interface Target {
  runLog: Pick<RunLog, "append" | "appendPlacement">;
  notes: string[];
}

/** The model is told when it may know of a failure, and what is missing. */
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

/** It is not tried again until something about it changes or, when its attempts are exhausted, until the next turn. */
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

/** How the note of a failure begins. */
function failureNote(resource: RunResource): string {
  return `[${named(resource)} is not at ${resource.mountPath}: `;
}

/** What the model was not told yet of an earlier failure is not so any more. */
function dropFailure(notes: string[], resource: RunResource): void {
  const others = notes.filter((note) => !note.startsWith(failureNote(resource)));
  notes.splice(0, notes.length, ...others);
}

/** It is tried again after `waitMs`. */
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

/** An attempt failed whose inputs have changed meanwhile: it is tried again at once with the present ones. */
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
