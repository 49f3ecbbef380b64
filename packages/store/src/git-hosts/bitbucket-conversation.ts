import {
  type HostAddress,
  type HostAnswer,
  objectOf,
  objectsIn,
  repositoryPath,
  textOf,
} from "./ask-host.ts";
import { BitbucketPulls } from "./bitbucket-pulls.ts";
import { placeOf } from "./github-conversation.ts";
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
const MAX_PAGES = 10;

/**
 * The conversation of a pull request by Bitbucket's API, version 2.0: its comments, and participants who request
 * changes. As in the pages "Pullrequests" (comments), "Repositories" (the permission of a user) and "Pipelines"
 * (steps and their logs) of its reference.
 */
export class BitbucketConversation extends BitbucketPulls implements PullConversation {
  readonly #at: HostAddress;
  readonly #requests: HostRequests;

  constructor(at: HostAddress, requests: HostRequests) {
    super(at, requests);
    this.#at = at;
    this.#requests = requests;
  }

  /** The token of a repository or a workspace has an account that only its comments name. */
  async account(): Promise<string | null> {
    const answer = await ifAllowed(this.#requests.ask("/user"));
    return textOf(objectOf(answer?.body).uuid);
  }

  async comments(repository: string, { number, url }: FoundPull): Promise<PullComment[]> {
    const request = `/repositories/${repositoryPath(repository)}/pullrequests/${number}`;
    const [comments, whole] = await Promise.all([
      this.#all(`${request}/comments?pagelen=${PER_PAGE}`),
      this.#requests.ask(request),
    ]);
    const said = comments
      .filter(({ deleted, content }) => deleted !== true && textOf(objectOf(content).raw) !== null)
      .map(({ id, user, content, inline, parent, links, created_on }) => {
        const { path, to, from } = objectOf(inline);
        return {
          ...{ key: `comment:${id}`, author: authorOf(user), text: textOf(objectOf(content).raw) ?? "" },
          ...{ requestsChanges: false, place: placeOf(path, to ?? from) },
          url: pageOf(this.#at, objectOf(objectOf(links).html).href),
          ...{ thread: `${objectOf(parent).id ?? id}`, createdAt: timeOf(created_on) },
        };
      });
    const requests = objectsIn(objectOf(whole.body).participants)
      .filter(({ state }) => state === "changes_requested")
      .map(({ user, participated_on }) => {
        const author = authorOf(user);
        return {
          ...{ key: `review:${author.id}:${participated_on}`, author, text: "", requestsChanges: true },
          ...{ place: null, url, thread: null, createdAt: timeOf(participated_on) },
        };
      });
    return oldestFirst([...said, ...requests]);
  }

  async mayWrite(repository: string, { id }: HostAuthor): Promise<boolean> {
    const users = `/repositories/${repositoryPath(repository)}/permissions-config/users`;
    const answer = await ifAllowed(this.#requests.ask(`${users}/${encodeURIComponent(id)}`));
    return ["admin", "write"].includes(`${objectOf(answer?.body).permission}`);
  }

  async log(repository: string, _pull: FoundPull, { log }: FailedCheck): Promise<string | null> {
    if (log === null) return null;
    // A pipeline is also found by the number of its build.
    const path = `/repositories/${repositoryPath(repository)}/pipelines/${log}/steps`;
    const steps = await ifAllowed(this.#requests.ask(`${path}?pagelen=${PER_PAGE}`));
    const failed = objectsIn(objectOf(steps?.body).values).find(
      ({ state }) => textOf(objectOf(objectOf(state).result).name) === "FAILED",
    );
    const uuid = textOf(failed?.uuid);
    return uuid === null ? null : await this.#requests.tail(`${path}/${encodeURIComponent(uuid)}/log`);
  }

  async comment(repository: string, { number }: FoundPull, raw: string): Promise<void> {
    const path = `/repositories/${repositoryPath(repository)}/pullrequests/${number}/comments`;
    await this.#requests.send(path, { content: { raw } });
  }

  async reply(repository: string, { number }: FoundPull, thread: string, raw: string): Promise<void> {
    const path = `/repositories/${repositoryPath(repository)}/pullrequests/${number}/comments`;
    await this.#requests.send(path, { content: { raw }, parent: { id: Number(thread) } });
  }

  async texts(repository: string, place: HostPlace): Promise<string[]> {
    const path = `${this.#commentsAt(repository, place)}?sort=-created_on&pagelen=${PER_PAGE}`;
    const { body } = await this.#requests.ask(path);
    return objectsIn(objectOf(body).values).map(({ content }) => textOf(objectOf(content).raw) ?? "");
  }

  async say(repository: string, place: HostPlace, raw: string): Promise<void> {
    const parent = place.comment === null ? {} : { parent: { id: Number(place.comment) } };
    await this.#requests.send(this.#commentsAt(repository, place), {
      content: { raw },
      ...(place.kind === "pull" && parent),
    });
  }

  async react(): Promise<void> {}

  #commentsAt(repository: string, { kind, number }: HostPlace): string {
    const list = kind === "pull" ? "pullrequests" : "issues";
    return `/repositories/${repositoryPath(repository)}/${list}/${number}/comments`;
  }

  async #all(path: string): Promise<Record<string, unknown>[]> {
    const items: Record<string, unknown>[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const { body }: HostAnswer = await this.#requests.ask(`${path}&page=${page}`);
      items.push(...objectsIn(objectOf(body).values));
      if (textOf(objectOf(body).next) === null) break;
    }
    return items;
  }
}

function authorOf(user: unknown): HostAuthor {
  const { uuid, account_id, nickname, display_name, type } = objectOf(user);
  const name = textOf(nickname) ?? textOf(display_name) ?? "somebody";
  return { name, id: textOf(uuid) ?? textOf(account_id) ?? name, isBot: type === "app_user" };
}
