import { changesRoutes, WORKSPACE_DIRECTORIES, workspaceRoutes } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { SessionHub } from "@berth/store/notify";
import type { HttpApp } from "../../../http/http-app.ts";
import { mount, mountContent } from "../../../http/mount.ts";
import type { RequestScope } from "../../../request/request-scope.ts";
import { requireResource } from "../resources/resource-store.ts";
import { requireSession } from "../state/session-state-store.ts";
import { listWorkspace } from "./list-workspace.ts";
import { changesWithBranches } from "./note-branches.ts";
import { requireDisk } from "./require-disk.ts";
import { repositoryDiff } from "./session-changes.ts";
import { workspaceContent } from "./workspace-content.ts";
import { WorkspaceReads } from "./workspace-reads.ts";

/** Mounts the routes for a session's disk, which the session's runner reads. Nothing of it is stored here. */
export function mountWorkspace(app: HttpApp, hub: Pick<SessionHub, "reads">): void {
  const reads = new WorkspaceReads(app.db, hub);
  app.fastify.addHook("preClose", async () => reads.close());

  mount(app, workspaceRoutes.list, async (request, input) => {
    const sessionId = await readableSession(request, input.params.session_id, input.query.path);
    return await listWorkspace(request, reads, sessionId, input);
  });
  mountContent(app, workspaceRoutes.content, async (request, { params, query: { path } }) => {
    const sessionId = await readableSession(request, params.session_id, path);
    return await workspaceContent({ reads, sessionId, path }, app.uploadLimit, request.header);
  });
  mount(app, changesRoutes.get, async (request, { params }) => {
    const sessionId = await readableSession(request, params.session_id);
    return await changesWithBranches(request.db, reads, sessionId);
  });
  mount(app, changesRoutes.diff, async ({ db, principal }, { params, query }) => {
    const { id } = await requireSession(db.read, principal, params.session_id);
    const { type } = await requireResource(db.read, id, params.resource_id);
    if (type !== "hosted_repository" && type !== "git_repository") throw errors.notARepository(type);
    await requireDisk(db.read, id);
    return await repositoryDiff(reads, id, params.resource_id, query.path ?? null);
  });
}

/** Returns the uuid of a session with a readable disk. @param path absolute; absent if not needed. */
async function readableSession(
  { db, principal }: Pick<RequestScope, "db" | "principal">,
  id: string,
  path?: string,
): Promise<string> {
  const session = await requireSession(db.read, principal, id);
  const { mountPaths } = await requireDisk(db.read, session.id);
  if (path !== undefined) requireWorkspacePath(path, mountPaths);
  return session.id;
}

/** @throws errors.pathOutside for a path outside the workspace's directories and the mount paths. */
function requireWorkspacePath(path: string, mountPaths: readonly string[]): void {
  const isInside = [...WORKSPACE_DIRECTORIES, ...mountPaths].some(
    (directory) => path === directory || path.startsWith(`${directory}/`),
  );
  if (!isInside) throw errors.pathOutside(WORKSPACE_DIRECTORIES);
}
