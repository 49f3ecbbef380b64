import {
  type HostAddress,
  type HostAnswer,
  objectOf,
  objectsIn,
  repositoryPath,
  textOf,
} from "./ask-host.ts";
import type { Check, FoundPull, HostRequests, PullDetails, PullSource, Review } from "./pull-requests.ts";
import { ifAllowed, pageOf, timeOf } from "./pull-requests.ts";

/** Gitea returns at most 50 by default. */
const PER_PAGE = 50;

/**
 * Pull requests by the API of Gitea and Forgejo, which lists those of all branches: the fifty that changed last
 * are looked through. Checks are commit statuses, which its Actions set as well.
 */
export class GiteaPulls implements PullSource {
  readonly #at: HostAddress;
  readonly #requests: HostRequests;
  #listed: { repository: string; list: Promise<HostAnswer> } | null = null;

  constructor(at: HostAddress, requests: HostRequests) {
    this.#at = at;
    this.#requests = requests;
  }

  async list(repository: string, branch: string): Promise<FoundPull[]> {
    const path = `/repos/${repositoryPath(repository)}/pulls?state=all&sort=recentupdate&limit=${PER_PAGE}`;
    // All branches are in one list.
    if (this.#listed?.repository !== repository)
      this.#listed = { repository, list: this.#requests.askOf(repository, path) };
    const { body } = await this.#listed.list;
    return objectsIn(body).flatMap((found) => {
      const [head, base] = [objectOf(found.head), objectOf(found.base)];
      const updatedAt = timeOf(found.updated_at);
      const isOwn = head.repo_id === base.repo_id && textOf(head.ref) === branch;
      if (typeof found.number !== "number" || updatedAt === null || !isOwn) return [];
      const page = `${this.#at.origin}/${repository}/pulls/${found.number}`;
      return [
        {
          ...{ number: found.number, url: pageOf(this.#at, found.html_url) ?? page },
          ...{ title: textOf(found.title) ?? "", state: stateOf(found) },
          ...{ head: branch, base: textOf(base.ref) ?? "" },
          mergeable: typeof found.mergeable === "boolean" && found.state === "open" ? found.mergeable : null,
          ...{ updatedAt, sha: textOf(head.sha) },
        },
      ];
    });
  }

  async details(repository: string, { number, sha }: FoundPull): Promise<PullDetails> {
    const { ask } = this.#requests;
    const path = `/repos/${repositoryPath(repository)}`;
    const commit = `${path}/commits/${encodeURIComponent(sha ?? "")}`;
    const [combined, reviews] = await Promise.all([
      sha === null ? null : ifAllowed(ask(`${commit}/status?limit=${PER_PAGE}`)),
      ask(`${path}/pulls/${number}/reviews?limit=${PER_PAGE}`),
    ]);
    const { statuses, total_count } = objectOf(combined?.body);
    const all = objectsIn(reviews.body);
    return {
      checks: sha !== null && combined === null ? null : objectsIn(statuses).map((one) => this.#check(one)),
      checkCount: Number(total_count ?? 0),
      reviews: all.flatMap(toReview),
      isAwaited: all.some(({ state }) => state === "REQUEST_REVIEW"),
    };
  }

  #check({ context, status, target_url, description }: Record<string, unknown>): Check {
    const isFailed = status === "failure" || status === "error";
    return {
      ...{ log: textOf(context), summary: textOf(description) },
      ...{ name: textOf(context) ?? "status", url: pageOf(this.#at, target_url) },
      state: status === "pending" ? "pending" : isFailed ? "failed" : "passed",
    };
  }
}

function stateOf({ state, draft, merged }: Record<string, unknown>): FoundPull["state"] {
  if (merged === true) return "merged";
  if (state !== "open") return "closed";
  return draft === true ? "draft" : "open";
}

const REVIEW_STATES: Readonly<Record<string, Review["state"]>> = {
  APPROVED: "approved",
  REQUEST_CHANGES: "changes_requested",
  COMMENT: "commented",
};

function toReview({ user, state, dismissed, submitted_at }: Record<string, unknown>): Review[] {
  const known = REVIEW_STATES[`${state}`];
  const author = textOf(objectOf(user).login);
  if (known === undefined || author === null) return [];
  return [{ author, state: dismissed === true ? "dismissed" : known, submittedAt: timeOf(submitted_at) }];
}
