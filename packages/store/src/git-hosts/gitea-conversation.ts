import { allPages, type HostAddress, objectOf, objectsIn, repositoryPath, textOf } from "./ask-host.ts";
import { GiteaPulls } from "./gitea-pulls.ts";
import { ownBranchOf, placeOf } from "./github-conversation.ts";
import {
  type FailedCheck,
  type HostAuthor,
  type HostPlace,
  oldestFirst,
  type PullComment,
  type PullConversation,
} from "./pull-conversation.ts";
import { type FoundPull, type HostRequests, ifAllowed, pageOf, timeOf } from "./pull-requests.ts";

const PER_PAGE = 50;

/**
 * The conversation of a pull request by the API of Gitea and Forgejo (Swagger: repoListPullReviews,
 * repoGetPullReviewComments, issueGetComments, issueCreateComment, repoGetRepoPermissions of a collaborator,
 * ListActionRuns, listWorkflowRunJobs and downloadActionsRunJobLogs, which hosts have since Gitea 1.24). It has no
 * answers to the comments of a review.
 */
export class GiteaConversation extends GiteaPulls implements PullConversation {
  readonly #at: HostAddress;
  readonly #requests: HostRequests;

  constructor(at: HostAddress, requests: HostRequests) {
    super(at, requests);
    this.#at = at;
    this.#requests = requests;
  }

  async account(): Promise<string | null> {
    const answer = await ifAllowed(this.#requests.ask("/user"));
    return textOf(objectOf(answer?.body).login);
  }

  async comments(repository: string, { number }: FoundPull): Promise<PullComment[]> {
    const path = `/repos/${repositoryPath(repository)}`;
    const read = (list: string) => allPages(this.#requests.ask, `${path}/${list}?limit=${PER_PAGE}`);
    const [reviews, whole] = await Promise.all([
      read(`pulls/${number}/reviews`),
      // It has all in one answer.
      this.#requests.ask(`${path}/issues/${number}/comments`),
    ]);
    const given = reviews.filter(({ state }) => state !== "REQUEST_REVIEW" && state !== "PENDING");
    const lines = await Promise.all(
      given
        .filter(({ comments_count }) => comments_count !== 0)
        .map(({ id }) => this.#requests.ask(`${path}/pulls/${number}/reviews/${id}/comments`)),
    );
    return oldestFirst([
      ...given
        .filter(({ state, body }) => state === "REQUEST_CHANGES" || textOf(body) !== null)
        .map((one) => ({
          ...this.#comment("review", one, one.submitted_at),
          requestsChanges: one.state === "REQUEST_CHANGES",
        })),
      ...lines
        .flatMap(({ body }) => objectsIn(body))
        .map((one) => ({
          ...this.#comment("line", one, one.created_at),
          place: placeOf(one.path, one.position || one.original_position),
        })),
      ...objectsIn(whole.body).map((one) => this.#comment("comment", one, one.created_at)),
    ]);
  }

  async mayWrite(repository: string, { id }: HostAuthor): Promise<boolean> {
    const path = `/repos/${repositoryPath(repository)}/collaborators/${encodeURIComponent(id)}/permission`;
    const answer = await ifAllowed(this.#requests.ask(path));
    return ["owner", "admin", "write"].includes(`${objectOf(answer?.body).permission}`);
  }

  /** The status of a job is named after its workflow and the job, and does not have its id. */
  async log(repository: string, { sha }: FoundPull, { log }: FailedCheck): Promise<string | null> {
    if (log === null || sha === null) return null;
    const path = `/repos/${repositoryPath(repository)}/actions`;
    const runs = await ifAllowed(this.#requests.ask(`${path}/runs?head_sha=${encodeURIComponent(sha)}`));
    for (const { id } of objectsIn(objectOf(runs?.body).workflow_runs)) {
      const jobs = await ifAllowed(this.#requests.ask(`${path}/runs/${id}/jobs`));
      const job = objectsIn(objectOf(jobs?.body).jobs).find(
        ({ name, conclusion }) => conclusion === "failure" && log.includes(textOf(name) ?? "\0"),
      );
      if (job !== undefined) return await this.#requests.tail(`${path}/jobs/${job.id}/logs`);
    }
    return null;
  }

  async comment(repository: string, { number }: FoundPull, body: string): Promise<void> {
    await this.#requests.send(`/repos/${repositoryPath(repository)}/issues/${number}/comments`, { body });
  }

  async reply(repository: string, pull: FoundPull, _thread: string, text: string): Promise<void> {
    await this.comment(repository, pull, text);
  }

  async ownBranch(repository: string, number: number): Promise<string | null> {
    return ownBranchOf(
      await this.#requests.ask(`/repos/${repositoryPath(repository)}/pulls/${number}`),
      repository,
    );
  }

  async texts(repository: string, { number }: HostPlace, since: Date): Promise<string[]> {
    const path = `/repos/${repositoryPath(repository)}/issues/${number}/comments`;
    const said = await this.#requests.ask(`${path}?since=${since.toISOString()}`);
    return objectsIn(said.body).map(({ body }) => textOf(body) ?? "");
  }

  async say(repository: string, { number }: HostPlace, body: string): Promise<void> {
    await this.#requests.send(`/repos/${repositoryPath(repository)}/issues/${number}/comments`, { body });
  }

  async react(repository: string, { number, comment }: HostPlace): Promise<void> {
    const at = comment === null ? `${number}` : `comments/${comment}`;
    await this.#requests.send(`/repos/${repositoryPath(repository)}/issues/${at}/reactions`, {
      content: "eyes",
    });
  }

  #comment(kind: string, { id, user, body, html_url }: Record<string, unknown>, at: unknown): PullComment {
    const name = textOf(objectOf(user).login) ?? "Ghost";
    return {
      ...{ key: `${kind}:${id}`, author: { name, id: name, isBot: false }, text: textOf(body) ?? "" },
      ...{ requestsChanges: false, place: null, thread: null },
      ...{ url: pageOf(this.#at, html_url), createdAt: timeOf(at) },
    };
  }
}
