import { type HostAddress, objectOf, objectsIn, textOf } from "./ask-host.ts";
import type { Check, FoundPull, HostRequests, PullDetails, PullSource, Review } from "./pull-requests.ts";
import { ifAllowed, pageOf, timeOf } from "./pull-requests.ts";

const PER_PAGE = 100;
const LISTED = 10;

/** Merge requests by GitLab's REST API: checks are the statuses of the commit, which jobs and others set. */
export class GitLabPulls implements PullSource {
  readonly #at: HostAddress;
  readonly #requests: HostRequests;
  readonly #pathOf: (repository: string) => string;

  constructor(at: HostAddress, requests: HostRequests, pathOf: (repository: string) => string) {
    this.#at = at;
    this.#requests = requests;
    this.#pathOf = pathOf;
  }

  async list(repository: string, branch: string): Promise<FoundPull[]> {
    const query = new URLSearchParams({
      ...{ source_branch: branch, state: "all", order_by: "updated_at", sort: "desc" },
      per_page: `${LISTED}`,
    });
    const { body } = await this.#requests.askOf(
      repository,
      `${this.#pathOf(repository)}/merge_requests?${query}`,
    );
    return objectsIn(body).flatMap((found) => {
      const updatedAt = timeOf(found.updated_at);
      const isOwn = found.source_project_id === found.target_project_id;
      if (typeof found.iid !== "number" || updatedAt === null || !isOwn || found.source_branch !== branch)
        return [];
      const page = `${this.#at.origin}/${repository}/-/merge_requests/${found.iid}`;
      return [
        {
          ...{ number: found.iid, url: pageOf(this.#at, found.web_url) ?? page },
          ...{ title: textOf(found.title) ?? "", state: stateOf(found) },
          ...{ head: branch, base: textOf(found.target_branch) ?? "", mergeable: mergeableOf(found) },
          ...{ updatedAt, sha: textOf(found.sha) },
        },
      ];
    });
  }

  async details(repository: string, { number, sha }: FoundPull): Promise<PullDetails> {
    const { ask } = this.#requests;
    const project = this.#pathOf(repository);
    const request = `${project}/merge_requests/${number}`;
    const commit = `${project}/repository/commits/${encodeURIComponent(sha ?? "")}`;
    const [whole, statuses, approvals, reviewers] = await Promise.all([
      ask(request),
      sha === null ? null : ifAllowed(ask(`${commit}/statuses?per_page=${PER_PAGE}`)),
      ifAllowed(ask(`${request}/approvals`)),
      ifAllowed(ask(`${request}/reviewers`)),
    ]);
    const known = objectsIn(statuses?.body).flatMap((status) => this.#check(status));
    const pipeline = objectOf(objectOf(whole.body).head_pipeline);
    // A pipeline of the merged result runs at another commit, whose statuses are not those of the head.
    const checks = known.length > 0 ? known : this.#check({ ...pipeline, name: "pipeline" });
    const asked = objectsIn(reviewers?.body);
    return {
      checks: sha !== null && statuses === null && checks.length === 0 ? null : checks,
      reviews: [
        ...objectsIn(objectOf(approvals?.body).approved_by).flatMap(({ user, approved_at }) =>
          toReview(user, "approved", approved_at),
        ),
        ...asked.flatMap(({ user, state }) =>
          state === "requested_changes"
            ? toReview(user, "changes_requested", null)
            : state === "reviewed"
              ? toReview(user, "commented", null)
              : [],
        ),
      ],
      isAwaited: asked.some(({ state }) => state === "unreviewed" || state === "review_started"),
    };
  }

  /** Returns no check for a job that waits for somebody to start it, or that may fail. */
  #check(one: Record<string, unknown>): Check[] {
    const { id, name, status, target_url, web_url, allow_failure, description } = one;
    const state = CHECK_STATES[`${status}`];
    if (state === undefined || (allow_failure === true && state === "failed")) return [];
    return [
      {
        ...{ name: textOf(name) ?? "job", state, url: pageOf(this.#at, target_url ?? web_url) },
        // The status of a job has the job's id.
        ...{ log: typeof id === "number" ? `${id}` : null, summary: textOf(description) },
      },
    ];
  }
}

const CHECK_STATES: Readonly<Record<string, Check["state"]>> = {
  success: "passed",
  skipped: "passed",
  failed: "failed",
  canceled: "failed",
  created: "pending",
  pending: "pending",
  preparing: "pending",
  running: "pending",
  waiting_for_resource: "pending",
  waiting_for_callback: "pending",
  scheduled: "pending",
  canceling: "pending",
};

function stateOf({ state, draft, work_in_progress }: Record<string, unknown>): FoundPull["state"] {
  if (state === "merged") return "merged";
  if (state === "closed") return "closed";
  return draft === true || work_in_progress === true ? "draft" : "open";
}

/** Whether there are conflicts is known when GitLab has compared the branches. */
function mergeableOf({ has_conflicts, merge_status }: Record<string, unknown>): boolean | null {
  if (has_conflicts === true || merge_status === "cannot_be_merged") return false;
  return merge_status === "can_be_merged" ? true : null;
}

function toReview(user: unknown, state: Review["state"], at: unknown): Review[] {
  const author = textOf(objectOf(user).username);
  return author === null ? [] : [{ author, state, submittedAt: timeOf(at) }];
}
