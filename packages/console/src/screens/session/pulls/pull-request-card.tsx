import type { PullRequest } from "@berth/sdk";
import { formatPlural } from "../../../format/numbers.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useSession } from "../scope/session-context.ts";
import { AskAgent } from "./ask-agent.tsx";
import { FollowPullRequest } from "./follow-pull-request.tsx";
import { checksMessage, reviewsMessage } from "./pull-messages.ts";

const STATES: Record<PullRequest["state"], Tone> = {
  open: "ok",
  draft: "neutral",
  merged: "accent",
  closed: "bad",
};

/** Shows a pull request: what it is, its checks, its reviews, and what the agent can be asked to do. */
export function PullRequestCard({ pull, mountPath }: { pull: PullRequest; mountPath: string | null }) {
  const { closed } = useSession();
  const { number, url, title, state, base, mergeable, checks, reviews } = pull;
  const isOpen = state === "open" || state === "draft";
  const mayAsk = isOpen && !closed && mountPath !== null;
  const hasReviews = reviews.reviews.some((one) => one.state !== "approved" && one.state !== "dismissed");
  return (
    <article
      aria-label={`Pull request ${number}`}
      className="rounded-lg border border-line bg-panel px-3 py-2.5"
    >
      <header>
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="font-semibold break-words hover:underline"
        >
          {showUnseen(title)} <span className="font-normal text-muted">#{number}</span>
          <Icon name="external" className="ml-1 inline size-3.5 align-[-2px] text-faint" />
        </a>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
          <Badge tone={STATES[state]} dot>
            {state}
          </Badge>
          {isOpen && mergeable === false && <Badge tone="bad">conflicts</Badge>}
          <span className="min-w-0 break-words">into {showUnseen(base)}</span>
        </p>
      </header>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1.5 text-sm">
        <dt className="text-muted">Checks</dt>
        <dd className="min-w-0">
          <Checks checks={checks} />
        </dd>
        <dt className="text-muted">Reviews</dt>
        <dd className="min-w-0">
          <Reviews reviews={reviews} />
        </dd>
      </dl>
      {mayAsk && (checks.failed_count > 0 || hasReviews) && (
        <footer className="mt-2.5 flex flex-wrap gap-1.5">
          {checks.failed_count > 0 && (
            <AskAgent verb="Ask to fix the checks" text={checksMessage({ mount_path: mountPath }, pull)} />
          )}
          {hasReviews && (
            <AskAgent
              verb="Ask to answer the reviews"
              text={reviewsMessage({ mount_path: mountPath }, pull)}
            />
          )}
        </footer>
      )}
      <FollowPullRequest pull={pull} />
    </article>
  );
}

const CHECKS: Record<PullRequest["checks"]["state"], { tone: Tone; label: string }> = {
  passing: { tone: "ok", label: "passing" },
  failing: { tone: "bad", label: "failing" },
  pending: { tone: "warn", label: "pending" },
  none: { tone: "neutral", label: "none" },
  unknown: { tone: "neutral", label: "unknown" },
};

function Checks({ checks }: Pick<PullRequest, "checks">) {
  const { state, total, failed, failed_count, pending_count } = checks;
  const { tone, label } = CHECKS[state];
  const counts = [
    ...(failed_count > 0 ? [`${failed_count} failed`] : []),
    ...(pending_count > 0 ? [`${pending_count} pending`] : []),
  ];
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        <Badge tone={tone}>{label}</Badge>
        {total > 0 && (
          <span className="text-xs text-muted">
            {[...counts, `${formatPlural(total, "check")} in all`].join(", ")}
          </span>
        )}
      </span>
      {failed.length > 0 && (
        <ul aria-label="Failed checks" className="mt-1 space-y-0.5 text-xs">
          {failed.map(({ name, url }) => (
            <li key={`${name} ${url}`} className="flex items-start gap-1.5 break-words">
              <Icon name="cross" className="mt-px size-3.5 shrink-0 text-bad" />
              {url === null ? (
                <span className="min-w-0">{showUnseen(name)}</span>
              ) : (
                <a href={url} target="_blank" rel="noopener noreferrer" className="min-w-0 underline">
                  {showUnseen(name)}
                </a>
              )}
            </li>
          ))}
          {failed_count > failed.length && (
            <li className="text-faint">and {failed_count - failed.length} more</li>
          )}
        </ul>
      )}
    </>
  );
}

const REVIEWS: Record<PullRequest["reviews"]["state"], { tone: Tone; label: string }> = {
  approved: { tone: "ok", label: "approved" },
  changes_requested: { tone: "bad", label: "changes requested" },
  pending: { tone: "warn", label: "requested" },
  none: { tone: "neutral", label: "none" },
};

function Reviews({ reviews: { state, reviews } }: Pick<PullRequest, "reviews">) {
  const { tone, label } = REVIEWS[state];
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={tone}>{label}</Badge>
      {reviews.length > 0 && (
        <span className="min-w-0 text-xs break-words text-muted">
          {reviews.map((one) => `${showUnseen(one.author)}: ${one.state.replaceAll("_", " ")}`).join(", ")}
        </span>
      )}
    </span>
  );
}
