import { pullRequestRoutes } from "@berth/contract";
import type { SessionHub } from "@berth/store/notify";
import type { HttpApp } from "../../../http/http-app.ts";
import { mount } from "../../../http/mount.ts";
import { requireSession } from "../state/session-state-store.ts";
import { WorkspaceReads } from "../workspace/workspace-reads.ts";
import type { AskDeps } from "./ask-for-pull-requests.ts";
import { PullRequests } from "./session-pull-requests.ts";

/** Milliseconds for which the answer waits for the branches: hosts are asked afterwards. */
const READ_MS = 10_000;

/** Mounts the routes, and returns what they read with. */
export function mountPullRequests(
  app: HttpApp,
  { hub, ...deps }: AskDeps & { hub: Pick<SessionHub, "reads"> },
): { reads: WorkspaceReads; pullRequests: PullRequests } {
  const reads = new WorkspaceReads(app.db, hub, READ_MS);
  app.fastify.addHook("preClose", async () => reads.close());
  const pullRequests = new PullRequests({ ...deps, db: app.db, reads });

  mount(app, pullRequestRoutes.get, async ({ db, principal }, { params, query }) => {
    const { id } = await requireSession(db.read, principal, params.session_id);
    return await pullRequests.get(id, query.max_age);
  });
  return { reads, pullRequests };
}
