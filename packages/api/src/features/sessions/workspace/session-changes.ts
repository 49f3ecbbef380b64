import { formatId, parseId, type RepositoryDiff, type SessionChanges } from "@berth/contract";
import { errors } from "@berth/store/errors";
import { MAX_READ_MS } from "@berth/store/session-log";
import { throwFailure } from "./throw-failure.ts";
import type { WorkspaceReads } from "./workspace-reads.ts";

/** Lists what has changed in a session's repositories. @param sessionId a uuid. */
export async function sessionChanges(reads: WorkspaceReads, sessionId: string): Promise<SessionChanges> {
  const id = formatId("session", sessionId);
  const { answer } = await reads.ask<"changes">(sessionId, { kind: "changes" });
  if (!answer.ok) throwFailure(id, answer.reason, "");
  return { type: "session_changes", session_id: id, repositories: answer.found.repositories };
}

/** Returns the diff of a repository. @param resource its id in the session. @param path null for all. */
export async function repositoryDiff(
  reads: WorkspaceReads,
  sessionId: string,
  resource: string,
  path: string | null,
): Promise<RepositoryDiff> {
  const resourceId = parseId("session_resource", resource) ?? "";
  const { answer } = await reads.ask<"diff">(sessionId, { kind: "diff", resourceId, path });
  if (!answer.ok) {
    if (answer.reason === "not_in_place") throw errors.notInPlace(resource);
    if (answer.reason === "slow") throw errors.notComparedInTime(resource, MAX_READ_MS / 1_000);
    if (answer.reason === "incomparable") throw errors.notComparable(resource);
    throwFailure(formatId("session", sessionId), answer.reason, path ?? "");
  }
  const { diff, truncated, large_files } = answer.found;
  return { type: "repository_diff", resource_id: resource, path, diff, truncated, large_files };
}
