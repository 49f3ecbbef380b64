import {
  allPages,
  type HostAddress,
  type HostAnswer,
  objectOf,
  objectsIn,
  repositoryPath,
  textOf,
} from "./ask-host.ts";
import { GitHubPulls } from "./github-pulls.ts";
import {
  type FailedCheck,
  type HostAuthor,
  type HostPlace,
  oldestFirst,
  type PullComment,
  type PullConversation,
} from "./pull-conversation.ts";
import { type FoundPull, type HostRequests, ifAllowed, pageOf, timeOf } from "./pull-requests.ts";

const PER_PAGE = 100;

/**
 * The conversation of a pull request by GitHub's REST API: reviews, review comments and the comments of its issue.
 * As in "REST API endpoints for pull request reviews", "… for pull request review comments", "… for issue
 * comments", "… for collaborators" (the permission of a user) and "… for workflow jobs" (a job and its log).
 */
export class GitHubConversation extends GitHubPulls implements PullConversation {
  readonly #at: HostAddress;
  readonly #requests: HostRequests;

  constructor(at: HostAddress, requests: HostRequests) {
    super(at, requests);
    this.#at = at;
    this.#requests = requests;
  }

  /** An installation has no user, and its comments are those of a bot. */
  async account(): Promise<string | null> {
    const answer = await ifAllowed(this.#requests.ask("/user"));
    return textOf(objectOf(answer?.body).login);
  }

  async comments(repository: string, { number }: FoundPull): Promise<PullComment[]> {
    const path = `/repos/${repositoryPath(repository)}`;
    const read = (list: string) => allPages(this.#requests.ask, `${path}/${list}?per_page=${PER_PAGE}`);
    const [reviews, lines, whole] = await Promise.all([
      read(`pulls/${number}/reviews`),
      read(`pulls/${number}/comments`),
      read(`issues/${number}/comments`),
    ]);
    return oldestFirst([
      ...reviews
        .filter(({ state, body }) => state === "CHANGES_REQUESTED" || textOf(body) !== null)
        .map((one) => ({
          ...this.#comment("review", one, one.submitted_at),
          requestsChanges: one.state === "CHANGES_REQUESTED",
        })),
      ...lines.map((one) => ({
        ...this.#comment("line", one, one.created_at),
        place: placeOf(one.path, one.line ?? one.original_line),
        thread: `${one.in_reply_to_id ?? one.id}`,
      })),
      ...whole.map((one) => this.#comment("comment", one, one.created_at)),
    ]);
  }

  async mayWrite(repository: string, { id }: HostAuthor): Promise<boolean> {
    const path = `/repos/${repositoryPath(repository)}/collaborators/${encodeURIComponent(id)}/permission`;
    const answer = await ifAllowed(this.#requests.ask(path));
    return ["admin", "write"].includes(`${objectOf(answer?.body).permission}`);
  }

  async log(repository: string, _pull: FoundPull, { log }: FailedCheck): Promise<string | null> {
    if (log === null) return null;
    const path = `/repos/${repositoryPath(repository)}/actions/jobs/${log}`;
    const [job, text] = await Promise.all([
      ifAllowed(this.#requests.ask(path)),
      this.#requests.tail(`${path}/logs`),
    ]);
    const step = objectsIn(objectOf(job?.body).steps).find(({ conclusion }) => conclusion === "failure");
    return text === null || step === undefined ? text : ofStep(text, step);
  }

  async comment(repository: string, { number }: FoundPull, body: string): Promise<void> {
    await this.#requests.send(`/repos/${repositoryPath(repository)}/issues/${number}/comments`, { body });
  }

  async reply(repository: string, { number }: FoundPull, thread: string, body: string): Promise<void> {
    const path = `/repos/${repositoryPath(repository)}/pulls/${number}/comments/${thread}/replies`;
    await this.#requests.send(path, { body });
  }

  async ownBranch(repository: string, number: number): Promise<string | null> {
    return ownBranchOf(
      await this.#requests.ask(`/repos/${repositoryPath(repository)}/pulls/${number}`),
      repository,
    );
  }

  async texts(repository: string, { number, on }: HostPlace, since: Date): Promise<string[]> {
    const list = on === "line" ? "pulls" : "issues";
    const path = `/repos/${repositoryPath(repository)}/${list}/${number}/comments`;
    const said = await this.#requests.ask(`${path}?per_page=${PER_PAGE}&since=${since.toISOString()}`);
    return objectsIn(said.body).map(({ body }) => textOf(body) ?? "");
  }

  async say(repository: string, { number, comment, on }: HostPlace, body: string): Promise<void> {
    const path = `/repos/${repositoryPath(repository)}`;
    const at =
      on === "line" && comment !== null
        ? `pulls/${number}/comments/${comment}/replies`
        : `issues/${number}/comments`;
    await this.#requests.send(`${path}/${at}`, { body });
  }

  /** As in "REST API endpoints for reactions". */
  async react(repository: string, { number, comment, on }: HostPlace): Promise<void> {
    const path = `/repos/${repositoryPath(repository)}/${on === "line" ? "pulls" : "issues"}`;
    const at = comment === null ? `${number}` : `comments/${comment}`;
    await this.#requests.send(`${path}/${at}/reactions`, { content: "eyes" });
  }

  #comment(kind: string, { id, user, body, html_url }: Record<string, unknown>, at: unknown): PullComment {
    const { login, type } = objectOf(user);
    const name = textOf(login) ?? "ghost";
    return {
      ...{ key: `${kind}:${id}`, author: { name, id: name, isBot: type === "Bot" } },
      ...{ text: textOf(body) ?? "", requestsChanges: false, place: null, thread: null },
      ...{ url: pageOf(this.#at, html_url), createdAt: timeOf(at) },
    };
  }
}

/** Returns the branch of a pull request in the shape of GitHub, which Gitea has, too. The repository of a fork may be gone. */
export function ownBranchOf({ body }: Pick<HostAnswer, "body">, repository: string): string | null {
  const { state, head } = objectOf(body);
  const { repo, ref } = objectOf(head);
  const isOwn = textOf(objectOf(repo).full_name)?.toLowerCase() === repository.toLowerCase();
  return state === "open" && isOwn ? textOf(ref) : null;
}

/** Returns the lines of a job's log that a step wrote: each begins with its time, and a step names whole seconds. */
function ofStep(log: string, { started_at, completed_at }: Record<string, unknown>): string {
  const [from, until] = [timeOf(started_at), timeOf(completed_at)];
  if (from === null || until === null) return log;
  let isInside = false;
  const lines = log.split("\n").filter((line) => {
    const at = timeOf(/^\uFEFF?(\d{4}-\d\d-\d\dT[\d:.]+Z)/.exec(line)?.[1]);
    if (at !== null) isInside = at.getTime() >= from.getTime() && at.getTime() < until.getTime() + 1_000;
    return isInside;
  });
  return lines.length === 0 ? log : lines.join("\n");
}

export function placeOf(path: unknown, line: unknown): string | null {
  const file = textOf(path);
  return file === null || typeof line !== "number" ? file : `${file}:${line}`;
}
