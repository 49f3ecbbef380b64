import type { HostBranch, HostRepository } from "@berth/contract";
import {
  askForTail,
  askHost,
  explained,
  type HostAddress,
  type HostAnswer,
  type HostQuestion,
  hasMoved,
  named,
  nextPage,
  notReached,
  objectOf,
  objectsIn,
  repositoryPath,
  textOf,
} from "./ask-host.ts";
import { bound, type GitHost, type HostPage, type RepositoryApi } from "./git-host.ts";
import { GitHostError } from "./git-host-error.ts";
import { GiteaConversation } from "./gitea-conversation.ts";
import { GiteaPulls } from "./gitea-pulls.ts";
import type { PullConversation } from "./pull-conversation.ts";
import {
  type HostRequests,
  type PullRequestAnswer,
  type PullRequestQuestion,
  readPullRequests,
} from "./pull-requests.ts";

/** Gitea returns at most 50 by default. */
const PER_PAGE = 50;

/** The API of Gitea and Forgejo, version 1. */
export class GiteaApi implements RepositoryApi {
  readonly #at: HostAddress;
  readonly #authorization: string;

  constructor(at: HostAddress, authorization: string) {
    this.#at = at;
    this.#authorization = authorization;
  }

  async check(): Promise<string> {
    const { body } = await this.ask({ path: "/user" });
    return `${this.#at.host} accepts the account ${named(objectOf(body).login)}.`;
  }

  async repositories(search: string | null, page: number): Promise<HostPage<HostRepository>> {
    const query = new URLSearchParams({
      ...{ limit: `${PER_PAGE}`, page: `${page}` },
      ...(search !== null && { q: search.split("/").at(-1) ?? search }),
    });
    const answer = await this.ask({ path: `/repos/search?${query}` });
    const items = objectsIn(objectOf(answer.body).data).flatMap((found) => {
      const [full_name, url] = [textOf(found.full_name), textOf(found.html_url)];
      if (full_name === null || url === null) return [];
      return [
        { full_name, url, default_branch: textOf(found.default_branch), private: found.private !== false },
      ];
    });
    return { items, next: nextPage(answer, page) };
  }

  async branches(repository: string, page: number): Promise<HostPage<HostBranch>> {
    const path = `/repos/${repositoryPath(repository)}/branches?limit=${PER_PAGE}&page=${page}`;
    const answer = await this.#askOf(repository, path);
    const items = objectsIn(answer.body).flatMap(({ name, commit }) => {
      const [branch, sha] = [textOf(name), textOf(objectOf(commit).id)];
      return branch === null || sha === null ? [] : [{ name: branch, sha }];
    });
    return { items, next: nextPage(answer, page) };
  }

  async pullRequests(question: PullRequestQuestion): Promise<PullRequestAnswer> {
    const source = new GiteaPulls(this.#at, this.#requests());
    return await readPullRequests(source, this.#at, question, "the scope 'read:repository'");
  }

  async converse<T>(_repository: string, work: (pulls: PullConversation) => Promise<T>): Promise<T> {
    return await work(new GiteaConversation(this.#at, this.#requests()));
  }

  #requests(): HostRequests {
    return {
      ask: (path) => this.ask({ path }),
      askOf: (repository, path) => this.#askOf(repository, path),
      send: (path, body) => this.ask({ method: "POST", path, body }),
      tail: (path) => askForTail(this.#at, { path, headers: { authorization: this.#authorization } }),
    };
  }

  /** @throws GitHostError for a repository that the host does not find, or that has another name now. */
  async requireRepository(repository: string): Promise<void> {
    const missing = notReached(this.#at, repository);
    const { status, headers } = await explained(
      this.ask({ path: `/repos/${repositoryPath(repository)}` }),
      ({ kind }) => (kind === "not_found" ? missing.message : null),
    );
    if (status < 300) return;
    const now = /\/repos\/([^/?]+\/[^/?]+)$/.exec(headers.get("location")?.split("?")[0] ?? "")?.[1];
    throw now === undefined ? missing : hasMoved(repository, now);
  }

  /** Asks for a list of a repository. */
  async #askOf(repository: string, path: string): Promise<HostAnswer> {
    const answer = await explained(this.ask({ path }), ({ kind }) =>
      kind === "not_found" ? notReached(this.#at, repository).message : null,
    );
    if (answer.status >= 300) await this.requireRepository(repository);
    return answer;
  }

  async ask(question: Omit<HostQuestion, "headers">): Promise<HostAnswer> {
    return await askHost(this.#at, { ...question, headers: { authorization: this.#authorization } });
  }
}

/** An account of Gitea or Forgejo, whose password makes access tokens. */
export function giteaHost(at: HostAddress, username: string, password: string): GitHost {
  const api = new GiteaApi(at, `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  const tokens = `/users/${encodeURIComponent(username)}/tokens`;
  return {
    ...bound(api),
    makeToken: async ({ repository, access, name }) => {
      await api.requireRepository(repository);
      const level = access === "read_only" ? "read" : "write";
      const body = { name, scopes: [`${level}:repository`, `${level}:issue`] };
      const { id, sha1 } = objectOf((await api.ask({ method: "POST", path: tokens, body })).body);
      const token = textOf(sha1);
      if (token === null || typeof id !== "number")
        throw new GitHostError(`${at.host} made no token.`, { kind: "unknown" });
      return { token, expiresAt: null, hostId: `${id}`, isOwn: true };
    },
    revokeToken: async ({ name, hostId }) => {
      // A name is accepted in place of the id.
      const path = `${tokens}/${hostId ?? encodeURIComponent(name)}`;
      await api.ask({ method: "DELETE", path }).catch((error: GitHostError) => {
        if (error.fault.kind !== "not_found") throw error;
      });
    },
  };
}
