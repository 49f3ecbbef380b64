import type { RepositoryChanges as Repository } from "@berth/sdk";
import { showUnseen } from "../../../format/visible-text.ts";
import { Badge } from "../../../ui/badge.tsx";
import { CopyButton, CopyId } from "../../../ui/copy.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Ago } from "../../../ui/moment.tsx";
import { PullRequestCards } from "../pulls/pull-request-cards.tsx";
import type { PullRequestsOfSession } from "../pulls/use-pull-requests.ts";
import { ChangedFile } from "./changed-file.tsx";
import { CreatePullRequest } from "./create-pull-request.tsx";
import { HostLink } from "./host-link.tsx";
import { usePatch } from "./use-patch.tsx";

/** Shows the commits and the changed files of a repository. */
export function RepositoryChanges({
  repository,
  pulls,
  split,
}: {
  repository: Repository;
  pulls: PullRequestsOfSession;
  split: boolean;
}) {
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
  const patch = usePatch(repository);
  const known = pulls.of(repository.resource_id);
  return (
    <section className="border-b border-line pb-2">
      <header className="sticky top-0 z-10 flex flex-wrap items-center gap-x-2 gap-y-1 bg-canvas px-4 py-2.5">
        <Icon name="branch" className="text-muted" />
        <h2 className="min-w-0 truncate font-semibold">{showUnseen(shortUrl(url))}</h2>
        {branch !== null && (
          <span className="flex min-w-0 items-center gap-0.5">
            <Badge tone="accent">{showUnseen(branch)}</Badge>
            <CopyButton text={branch} label="Copy the name of the branch" />
          </span>
        )}
        <span className="font-mono text-xs text-faint">
          {base?.slice(0, 8)}
          {head !== base && ` → ${head?.slice(0, 8)}`}
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-1">
          <HostLink repository={repository} />
          <CreatePullRequest repository={repository} known={known?.pull_requests ?? []} />
          {patch.button}
        </span>
      </header>
      {patch.note}
      {known !== null && (
        <PullRequestCards pulls={pulls} repository={known} mountPath={repository.mount_path} />
      )}
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
        <p className="px-4 pb-2 text-muted">No changes.</p>
      )}
      <ul aria-label="Files">
        {files.map((file) => (
          <ChangedFile
            key={file.path}
            repository={repository}
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

type Commit = Repository["commits"][number];

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
