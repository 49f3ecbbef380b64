import type { RepositoryChanges as Repository, RepositoryPullRequests } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useState } from "react";
import { berth } from "../../../api/client.ts";
import { formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { IconButton, Spinner } from "../../../ui/button.tsx";
import { CallPanel } from "../../../ui/call-panel.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { CommentBar } from "../comments/comment-bar.tsx";
import { CommentsContext, useComments } from "../comments/use-comments.ts";
import type { SessionView } from "../log/view.ts";
import { FollowPullRequest } from "../pulls/follow-pull-request.tsx";
import { PullRequestCards } from "../pulls/pull-request-cards.tsx";
import { type PullRequestsOfSession, usePullRequests } from "../pulls/use-pull-requests.ts";
import { useSession } from "../scope/session-context.ts";
import { NoDisk } from "./no-disk.tsx";
import { RepositoryChanges } from "./repository-changes.tsx";
import { useDiskQuery } from "./use-disk-query.ts";

const SPLIT_KEY = "berth.diff split";

/**
 * Shows the agent's changes to the repositories since they were cloned: commits, and each file with its diff.
 */
export function ChangesPanel({ view }: { view: SessionView }) {
  const { session, closed } = useSession();
  const drafts = useComments(session.id);
  const [split, setSplit] = useState(localStorage.getItem(SPLIT_KEY) === "yes");
  const [showsCall, setShowsCall] = useState(false);
  const changes = useDiskQuery(["changes", session.id], view, (signal) =>
    berth.sessions.changes.get(session.id, { signal }),
  );
  const pulls = usePullRequests(session.id, view, !changes.isPending);
  const isAwaited =
    session.follow !== null && pulls.all.every(({ pull_requests: known }) => known.length === 0);
  if (!session.resources.some((one) => "url" in one))
    return (
      <Empty icon="branch" title="No repositories">
        This panel shows what the agent changed in the session's repositories. This session has none: add
        repositories when you create a session.
      </Empty>
    );
  if (changes.error !== null)
    return (
      <>
        {pulls.all.map((one) => (
          <KnownRepository key={one.resource_id} repository={one} pulls={pulls} />
        ))}
        <NoDisk error={changes.error} retry={() => void changes.refetch()} />
      </>
    );
  if (changes.data === undefined) return <Spinner className="m-4 text-faint" />;
  const chooseSplit = (next: boolean) => {
    setSplit(next);
    localStorage.setItem(SPLIT_KEY, next ? "yes" : "no");
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-1 border-b border-line px-4 py-1.5">
        <p className="mr-auto text-xs text-faint">{summaryOf(changes.data.repositories)}</p>
        <IconButton icon="code" label="CLI and curl commands" onClick={() => setShowsCall(true)} />
        <IconButton icon="refresh" label="Refresh" onClick={() => void changes.refetch()} />
        <IconButton
          icon="sidebar"
          label="Old and new side by side"
          pressed={split}
          onClick={() => chooseSplit(!split)}
        />
      </div>
      <CommentsContext value={closed ? null : drafts}>
        <div className="min-h-0 flex-1 overflow-y-auto">
          {isAwaited && (
            <div className="border-b border-line px-4 pb-2.5">
              <FollowPullRequest pull={null} />
            </div>
          )}
          {changes.data.repositories.map((repository) => (
            <RepositoryChanges
              key={repository.resource_id}
              repository={repository}
              pulls={pulls}
              split={split}
            />
          ))}
        </div>
      </CommentsContext>
      {!closed && (hasFiles(changes.data.repositories) || drafts.comments.list.length > 0) && (
        <CommentBar drafts={drafts} />
      )}
      <Dialog
        open={showsCall}
        onClose={() => setShowsCall(false)}
        title="CLI and curl commands"
        size="medium"
      >
        <CallPanel
          call={{ operation: operations.changes.get, params: { session_id: session.id } }}
          className="mb-4"
        />
      </Dialog>
    </div>
  );
}

/** Shows the pull requests of a repository whose files cannot be read, if it has any. */
function KnownRepository({
  repository,
  pulls,
}: {
  repository: RepositoryPullRequests;
  pulls: PullRequestsOfSession;
}) {
  if (repository.pull_requests.length === 0) return null;
  return (
    <section className="border-b border-line">
      <h2 className="truncate px-4 pt-2.5 pb-1 font-semibold">{showUnseen(repository.repository)}</h2>
      <PullRequestCards pulls={pulls} repository={repository} mountPath={null} />
    </section>
  );
}

function hasFiles(repositories: readonly Repository[]): boolean {
  return repositories.some(({ file_count }) => file_count > 0);
}

function summaryOf(repositories: readonly Repository[]): string {
  const files = repositories.reduce((sum, one) => sum + one.file_count, 0);
  const commits = repositories.reduce((sum, one) => sum + one.commit_count, 0);
  return files + commits === 0
    ? "No changes"
    : `${formatPlural(files, "file")}, ${formatPlural(commits, "commit")}`;
}
