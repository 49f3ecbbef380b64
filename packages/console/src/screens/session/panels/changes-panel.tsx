import { operations } from "@berth/sdk/operations";
import { useState } from "react";
import { berth } from "../../../api/client.ts";
import { formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Badge } from "../../../ui/badge.tsx";
import { IconButton, Spinner } from "../../../ui/button.tsx";
import { CallPanel } from "../../../ui/call-panel.tsx";
import { CopyId } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Ago } from "../../../ui/moment.tsx";
import type { SessionView } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { ChangedFile } from "./changed-file.tsx";
import { NoDisk } from "./no-disk.tsx";
import { useDiskQuery } from "./use-disk-query.ts";

type Repository = Awaited<ReturnType<typeof berth.sessions.changes.get>>["repositories"][number];

const SPLIT_KEY = "berth.diff split";

/**
 * Shows the agent's changes to the repositories since they were cloned: commits, and each file with its diff.
 */
export function ChangesPanel({ view }: { view: SessionView }) {
  const { session } = useSession();
  const [split, setSplit] = useState(localStorage.getItem(SPLIT_KEY) === "yes");
  const [showsCall, setShowsCall] = useState(false);
  const changes = useDiskQuery(["changes", session.id], view, (signal) =>
    berth.sessions.changes.get(session.id, { signal }),
  );
  if (!session.resources.some((one) => "url" in one))
    return (
      <Empty icon="branch" title="No repositories">
        Changes in the session's repositories are shown here. This session has no repositories.
      </Empty>
    );
  if (changes.error !== null) return <NoDisk error={changes.error} retry={() => void changes.refetch()} />;
  if (changes.data === undefined) return <Spinner className="m-4 text-faint" />;
  const chooseSplit = (next: boolean) => {
    setSplit(next);
    localStorage.setItem(SPLIT_KEY, next ? "yes" : "no");
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex items-center gap-1 border-b border-line px-4 py-1.5">
        <p className="mr-auto text-xs text-faint">{summaryOf(changes.data.repositories)}</p>
        <IconButton icon="code" label="The same by CLI and curl" onClick={() => setShowsCall(true)} />
        <IconButton icon="refresh" label="Read again" onClick={() => void changes.refetch()} />
        <IconButton
          icon="sidebar"
          label="Old and new side by side"
          pressed={split}
          onClick={() => chooseSplit(!split)}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {changes.data.repositories.map((repository) => (
          <RepositoryChanges key={repository.resource_id} repository={repository} split={split} />
        ))}
      </div>
      <Dialog
        open={showsCall}
        onClose={() => setShowsCall(false)}
        title="The same by CLI and curl"
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

function summaryOf(repositories: readonly Repository[]): string {
  const files = repositories.reduce((sum, one) => sum + one.file_count, 0);
  const commits = repositories.reduce((sum, one) => sum + one.commit_count, 0);
  return files + commits === 0
    ? "Nothing changed"
    : `${formatPlural(files, "file")}, ${formatPlural(commits, "commit")}`;
}

function RepositoryChanges({ repository, split }: { repository: Repository; split: boolean }) {
  const {
    url,
    branch,
    base_commit: base,
    head_commit: head,
    status,
    reason,
    files,
    file_count,
    commits,
    commit_count,
  } = repository;
  return (
    <section className="border-b border-line pb-2">
      <header className="sticky top-0 z-10 flex flex-wrap items-center gap-x-2 gap-y-1 bg-canvas px-4 py-2.5">
        <Icon name="branch" className="text-muted" />
        <h2 className="min-w-0 truncate font-semibold">{showUnseen(shortUrl(url))}</h2>
        {branch !== null && <Badge tone="accent">{showUnseen(branch)}</Badge>}
        <span className="font-mono text-xs text-faint">
          {base?.slice(0, 8)}
          {head !== base && ` → ${head?.slice(0, 8)}`}
        </span>
      </header>
      {status !== "compared" && <p className="px-4 pb-2 text-muted">{reason}</p>}
      {!repository.base_is_ancestor && status === "compared" && (
        <p className="px-4 pb-2 text-xs text-warn">
          The history was rewritten: the branch does not contain the commit that was cloned.
        </p>
      )}
      {commits.length > 0 && (
        <ul aria-label="Commits" className="pb-1">
          {commits.map((commit) => (
            <CommitLine key={commit.sha} commit={commit} />
          ))}
          {commit_count > commits.length && (
            <li className="px-4 text-xs text-faint">and {commit_count - commits.length} before</li>
          )}
        </ul>
      )}
      {status === "compared" && files.length === 0 && commits.length === 0 && (
        <p className="px-4 pb-2 text-muted">Nothing changed.</p>
      )}
      <ul aria-label="Files">
        {files.map((file) => (
          <ChangedFile
            key={file.path}
            resourceId={repository.resource_id}
            version={`${head} ${file.additions} ${file.deletions}`}
            file={file}
            split={split}
          />
        ))}
      </ul>
      {file_count > files.length && (
        <p className="px-4 py-1 text-xs text-faint">and {file_count - files.length} more files</p>
      )}
    </section>
  );
}

function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/[^/]+\//, "").replace(/\.git$/, "");
}

type Commit = {
  sha: string;
  subject: string;
  author: { name: string; email: string };
  authored_at: string | null;
  pushed: boolean;
};

function CommitLine({ commit }: { commit: Commit }) {
  return (
    <li className="flex items-center gap-2 px-4 py-1">
      <span className="w-20 shrink-0 overflow-hidden">
        <CopyId id={commit.sha} />
      </span>
      <span className="min-w-0 flex-1 truncate" title={`${commit.author.name} <${commit.author.email}>`}>
        {showUnseen(commit.subject)}
      </span>
      {commit.authored_at !== null && (
        <Ago at={commit.authored_at} className="text-xs whitespace-nowrap text-faint" />
      )}
      <Badge tone={commit.pushed ? "ok" : "warn"}>{commit.pushed ? "pushed" : "not pushed"}</Badge>
    </li>
  );
}
