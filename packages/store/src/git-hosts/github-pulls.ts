import { type HostAddress, objectOf, objectsIn, repositoryPath, textOf } from "./ask-host.ts";
import type { Check, FoundPull, HostRequests, PullDetails, PullSource, Review } from "./pull-requests.ts";
import { ifAllowed, pageOf, timeOf } from "./pull-requests.ts";

const PER_PAGE = 100;
const LISTED = 10;

/** Pull requests by GitHub's REST API: checks are check runs and commit statuses. */
export class GitHubPulls implements PullSource {
  readonly #at: HostAddress;
  readonly #requests: HostRequests;

  constructor(at: HostAddress, requests: HostRequests) {
    this.#at = at;
    this.#requests = requests;
  }

  async list(repository: string, branch: string): Promise<FoundPull[]> {
    const [owner = ""] = repository.split("/");
    const query = new URLSearchParams({
      ...{ head: `${owner}:${branch}`, state: "all", sort: "updated", direction: "desc" },
      per_page: `${LISTED}`,
    });
    const path = `/repos/${repositoryPath(repository)}/pulls?${query}`;
    const { body } = await this.#requests.askOf(repository, path);
    return objectsIn(body).flatMap((found) => {
      const [head, base] = [objectOf(found.head), objectOf(found.base)];
      const updatedAt = timeOf(found.updated_at);
      // A host that ignores the filter, such as for a name that it does not take, lists all.
      if (typeof found.number !== "number" || updatedAt === null || textOf(head.ref) !== branch) return [];
      const page = `${this.#at.origin}/${repository}/pull/${found.number}`;
      return [
        {
          ...{ number: found.number, url: pageOf(this.#at, found.html_url) ?? page },
          ...{ title: textOf(found.title) ?? "", state: stateOf(found) },
          ...{ head: branch, base: textOf(base.ref) ?? "", mergeable: null },
          ...{ updatedAt, sha: textOf(head.sha) },
        },
      ];
    });
  }

  async details(repository: string, { number, sha, state }: FoundPull): Promise<PullDetails> {
    const { ask } = this.#requests;
    const path = `/repos/${repositoryPath(repository)}`;
    const isOpen = state === "open" || state === "draft";
    const commit = `${path}/commits/${encodeURIComponent(sha ?? "")}`;
    const [whole, runs, statuses, reviews] = await Promise.all([
      isOpen ? ask(`${path}/pulls/${number}`) : null,
      sha === null ? null : ifAllowed(ask(`${commit}/check-runs?per_page=${PER_PAGE}`)),
      sha === null ? null : ifAllowed(ask(`${commit}/status?per_page=${PER_PAGE}`)),
      ask(`${path}/pulls/${number}/reviews?per_page=${PER_PAGE}`),
    ]);
    const { mergeable, requested_reviewers, requested_teams } = objectOf(whole?.body);
    const [ofRuns, ofStatuses] = [objectOf(runs?.body), objectOf(statuses?.body)];
    const checks = [
      ...objectsIn(ofRuns.check_runs).map((run) => this.#run(run)),
      ...objectsIn(ofStatuses.statuses).map((status) => this.#status(status)),
    ];
    const counts = [ofRuns.total_count, ofStatuses.total_count].map((count) => Number(count ?? 0));
    return {
      mergeable: typeof mergeable === "boolean" ? mergeable : null,
      checks: sha !== null && (runs === null || statuses === null) && checks.length === 0 ? null : checks,
      checkCount: counts.reduce((sum, count) => sum + count, 0),
      reviews: objectsIn(reviews.body).flatMap(toReview),
      isAwaited: objectsIn(requested_reviewers).length + objectsIn(requested_teams).length > 0,
    };
  }

  #run({ name, status, conclusion, html_url, details_url, output }: Record<string, unknown>): Check {
    const ended = ["success", "neutral", "skipped"].includes(`${conclusion}`) ? "passed" : "failed";
    const { title, summary, text } = objectOf(output);
    const said = [title, summary, text].map(textOf).filter((one) => one !== null);
    return {
      // The page of a check run of GitHub Actions names its job.
      log: /\/actions\/runs\/\d+\/job\/(\d+)/.exec(textOf(details_url) ?? "")?.[1] ?? null,
      summary: said.length === 0 ? null : said.join("\n\n"),
      ...{ name: textOf(name) ?? "check", url: pageOf(this.#at, html_url) },
      state: status === "completed" ? ended : "pending",
    };
  }

  #status({ context, state, target_url, description }: Record<string, unknown>): Check {
    return {
      summary: textOf(description),
      ...{ name: textOf(context) ?? "status", url: pageOf(this.#at, target_url) },
      state: state === "success" ? "passed" : state === "pending" ? "pending" : "failed",
    };
  }
}

function stateOf({ state, draft, merged_at }: Record<string, unknown>): FoundPull["state"] {
  if (state === "open") return draft === true ? "draft" : "open";
  return textOf(merged_at) === null ? "closed" : "merged";
}

const REVIEW_STATES: Readonly<Record<string, Review["state"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes_requested",
  COMMENTED: "commented",
  DISMISSED: "dismissed",
};

function toReview({ user, state, submitted_at }: Record<string, unknown>): Review[] {
  const known = REVIEW_STATES[`${state}`];
  if (known === undefined) return [];
  const author = textOf(objectOf(user).login) ?? "ghost";
  return [{ author, state: known, submittedAt: timeOf(submitted_at) }];
}
