import { isUtf8 } from "node:buffer";
import type { Input, Page, WorkspaceEntry, workspaceRoutes } from "@berth/contract";
import { formatId } from "@berth/contract";
import type { FoundEntry } from "@berth/store/session-log";
import { cursorScope, openCursor } from "../../../request/page.ts";
import type { RequestScope } from "../../../request/request-scope.ts";
import { throwFailure } from "./throw-failure.ts";
import type { WorkspaceReads } from "./workspace-reads.ts";

/**
 * Returns one page of a directory, ordered by the bytes of the names. A cursor names the last entry of a
 * page, which may have been deleted since.
 */
export async function listWorkspace(
  request: RequestScope,
  reads: WorkspaceReads,
  sessionId: string,
  input: Input<typeof workspaceRoutes.list>,
): Promise<Page<WorkspaceEntry>> {
  const { path, limit } = input.query;
  const after = openCursor(request, input)?.position ?? null;
  const { answer } = await reads.ask<"list">(sessionId, { kind: "list", path, after, max: limit + 1 });
  if (!answer.ok) throwFailure(formatId("session", sessionId), answer.reason, path);
  const entries = answer.found.entries.slice(0, limit);
  const last = entries.at(-1);
  const more = answer.found.entries.length > limit && last !== undefined;
  const scope = cursorScope(request, input);
  return {
    data: entries.map((entry) => shown(entry, path)),
    next_page: more ? request.cursors.seal(scope, { direction: "older", position: last.name }) : null,
    // Entries have no ids.
    first_id: null,
    last_id: null,
    has_more: more,
  };
}

function shown({ name: encoded, ...entry }: FoundEntry, directory: string): WorkspaceEntry {
  const bytes = Buffer.from(encoded, "base64");
  const name = bytes.toString("utf8");
  const { type, ...rest } = entry;
  return { type, name, path: isUtf8(bytes) ? `${directory}/${name}` : null, ...rest };
}
