import type { RepositoryPullRequests } from "@berth/sdk";
import { IconButton, Spinner } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Ago } from "../../../ui/moment.tsx";
import { PullRequestCard } from "./pull-request-card.tsx";
import type { PullRequestsOfSession } from "./use-pull-requests.ts";

type Props = {
  pulls: PullRequestsOfSession;
  repository: RepositoryPullRequests;
  /** Where it is cloned; null if it is not. */
  mountPath: string | null;
};

/** Shows the pull requests of a repository, and why their host does not say more. Nothing if there is nothing. */
export function PullRequestCards({ pulls, repository, mountPath }: Props) {
  const { pull_requests, error, refreshed_at } = repository;
  if (pull_requests.length === 0 && error === null) return null;
  return (
    <section aria-label="Pull requests" className="space-y-2 px-4 pt-1 pb-3">
      {pull_requests.map((one) => (
        <PullRequestCard key={one.number} pull={one} mountPath={mountPath} />
      ))}
      <div className="flex min-h-7 flex-wrap items-center gap-x-2 text-xs text-faint">
        {error !== null && (
          <p className="flex min-w-0 items-start gap-1.5 text-warn" role="status">
            <Icon name="alert" className="mt-px size-3.5 shrink-0" />
            <span className="min-w-0 break-words">{error.message}</span>
          </p>
        )}
        <span className="ml-auto flex items-center gap-1">
          {refreshed_at === null ? (
            "Not read from the host yet"
          ) : (
            <span>
              Read from the host <Ago at={refreshed_at} />
            </span>
          )}
          {pulls.refreshes ? (
            <Spinner className="m-1.5" />
          ) : (
            <IconButton icon="refresh" label="Refresh pull requests" onClick={pulls.refresh} />
          )}
        </span>
      </div>
    </section>
  );
}
