import { allPages, type HostAddress, objectOf, objectsIn, textOf } from "./ask-host.ts";
import { placeOf } from "./github-conversation.ts";
import { GitLabPulls } from "./gitlab-pulls.ts";
import {
  type FailedCheck,
  type HostAuthor,
  type HostPlace,
  oldestFirst,
  type PullComment,
  type PullConversation,
} from "./pull-conversation.ts";
import { type FoundPull, type HostRequests, ifAllowed, timeOf } from "./pull-requests.ts";

const PER_PAGE = 100;
const DEVELOPER = 30;

/**
 * The conversation of a merge request by GitLab's REST API, version 4: its discussions, and reviewers who request
 * changes. As in "Discussions API", "Notes API", "Merge requests API" (reviewers), "Project members API" and
 * "Jobs API" (the log of a job).
 */
export class GitLabConversation extends GitLabPulls implements PullConversation {
  readonly #requests: HostRequests;
  readonly #pathOf: (repository: string) => string;

  constructor(at: HostAddress, requests: HostRequests, pathOf: (repository: string) => string) {
    super(at, requests, pathOf);
    this.#requests = requests;
    this.#pathOf = pathOf;
  }

  async account(): Promise<string | null> {
    const answer = await ifAllowed(this.#requests.ask("/user"));
    const { id } = objectOf(answer?.body);
    return id === undefined ? null : `${id}`;
  }

  async comments(repository: string, { number, url }: FoundPull): Promise<PullComment[]> {
    const request = `${this.#pathOf(repository)}/merge_requests/${number}`;
    const [discussions, reviewers] = await Promise.all([
      allPages(this.#requests.ask, `${request}/discussions?per_page=${PER_PAGE}`),
      ifAllowed(this.#requests.ask(`${request}/reviewers`)),
    ]);
    const notes = discussions.flatMap(({ id: discussion, notes: all }) =>
      objectsIn(all)
        .filter(({ system, body }) => system !== true && textOf(body) !== null)
        .map(({ id, author, body, position, created_at }) => {
          const { new_path, new_line, old_line } = objectOf(position);
          return {
            ...{ key: `note:${id}`, author: authorOf(author), text: textOf(body) ?? "" },
            ...{ requestsChanges: false, place: placeOf(new_path, new_line ?? old_line) },
            ...{ url: `${url}#note_${id}`, thread: textOf(discussion), createdAt: timeOf(created_at) },
          };
        }),
    );
    const requests = objectsIn(reviewers?.body)
      .filter(({ state }) => state === "requested_changes")
      .map(({ user }) => {
        const author = authorOf(user);
        // A review has no id and no time, so that each reviewer requests changes once.
        return {
          ...{ key: `review:${author.id}`, author, text: "", requestsChanges: true },
          ...{ place: null, url, thread: null, createdAt: null },
        };
      });
    return oldestFirst([...notes, ...requests]);
  }

  async mayWrite(repository: string, { id }: HostAuthor): Promise<boolean> {
    const path = `${this.#pathOf(repository)}/members/all/${encodeURIComponent(id)}`;
    const answer = await ifAllowed(this.#requests.ask(path));
    return Number(objectOf(answer?.body).access_level ?? 0) >= DEVELOPER;
  }

  async log(repository: string, _pull: FoundPull, { log }: FailedCheck): Promise<string | null> {
    return log === null ? null : await this.#requests.tail(`${this.#pathOf(repository)}/jobs/${log}/trace`);
  }

  async comment(repository: string, { number }: FoundPull, body: string): Promise<void> {
    await this.#requests.send(`${this.#pathOf(repository)}/merge_requests/${number}/notes`, { body });
  }

  async reply(repository: string, { number }: FoundPull, thread: string, body: string): Promise<void> {
    const discussion = encodeURIComponent(thread);
    const path = `${this.#pathOf(repository)}/merge_requests/${number}/discussions/${discussion}/notes`;
    await this.#requests.send(path, { body });
  }

  async texts(repository: string, place: HostPlace): Promise<string[]> {
    const said = await this.#requests.ask(
      `${this.#pathTo(repository, place)}/notes?sort=desc&per_page=${PER_PAGE}`,
    );
    return objectsIn(said.body).map(({ body }) => textOf(body) ?? "");
  }

  async say(repository: string, place: HostPlace, body: string): Promise<void> {
    await this.#requests.send(`${this.#pathTo(repository, place)}/notes`, { body });
  }

  /** As in "Emoji reactions API". */
  async react(repository: string, place: HostPlace): Promise<void> {
    const note = place.comment === null ? "" : `/notes/${encodeURIComponent(place.comment)}`;
    await this.#requests.send(`${this.#pathTo(repository, place)}${note}/award_emoji`, { name: "eyes" });
  }

  #pathTo(repository: string, { kind, number }: HostPlace): string {
    return `${this.#pathOf(repository)}/${kind === "pull" ? "merge_requests" : "issues"}/${number}`;
  }
}

function authorOf(author: unknown): HostAuthor {
  const { id, username, bot } = objectOf(author);
  return { name: textOf(username) ?? "ghost", id: `${id}`, isBot: bot === true };
}
