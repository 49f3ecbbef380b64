import type { HostBranch, HostRepository } from "@berth/contract";
import {
  askForTail,
  askHost,
  explained,
  type HostAddress,
  type HostAnswer,
  hasMoved,
  notReached,
  objectOf,
  objectsIn,
  repositoryPath,
  textOf,
} from "./ask-host.ts";
import { BitbucketConversation } from "./bitbucket-conversation.ts";
import { BitbucketPulls } from "./bitbucket-pulls.ts";
import { bound, type GitHost, givesItself, type HostPage, type RepositoryApi } from "./git-host.ts";
import type { PullConversation } from "./pull-conversation.ts";
import {
  type HostRequests,
  type PullRequestAnswer,
  type PullRequestQuestion,
  readPullRequests,
} from "./pull-requests.ts";

const PER_PAGE = 100;

/** Bitbucket's API, version 2.0, with an access token. */
export class BitbucketApi implements RepositoryApi {
  readonly #at: HostAddress;
  readonly #token: string;
  readonly #list: string;
  readonly #workspace: string | null;

  /** @param workspace whose repositories are listed; null for all of which the token's account is a member. */
  constructor(at: HostAddress, workspace: string | null, token: string) {
    this.#at = at;
    this.#token = token;
    this.#workspace = workspace;
    this.#list = workspace === null ? "/repositories" : `/repositories/${encodeURIComponent(workspace)}`;
  }

  async check(): Promise<string> {
    await this.#ask(`${this.#list}?${this.#query({ pagelen: "1" })}`);
    const { host } = this.#at;
    return this.#workspace === null
      ? `${host} accepts the token.`
      : `${host} accepts the token for the workspace '${this.#workspace}'.`;
  }

  async repositories(search: string | null, page: number): Promise<HostPage<HostRepository>> {
    const name = search?.split("/").at(-1)?.replace(/["\\]/g, "") ?? "";
    const query = this.#query({
      ...{ pagelen: `${PER_PAGE}`, page: `${page}` },
      ...(name !== "" && { q: `name ~ "${name}"` }),
    });
    const { body } = await this.#ask(`${this.#list}?${query}`);
    const items = objectsIn(objectOf(body).values).flatMap((found) => {
      const full_name = textOf(found.full_name);
      const url = textOf(objectOf(objectOf(found.links).html).href);
      if (full_name === null || url === null) return [];
      const branch = textOf(objectOf(found.mainbranch).name);
      return [{ full_name, url, default_branch: branch, private: found.is_private !== false }];
    });
    return { items, next: nextOf(body, page) };
  }

  async branches(repository: string, page: number): Promise<HostPage<HostBranch>> {
    const path = `/repositories/${repositoryPath(repository)}/refs/branches?pagelen=${PER_PAGE}&page=${page}`;
    const { body } = await this.#askOf(repository, path);
    const items = objectsIn(objectOf(body).values).flatMap(({ name, target }) => {
      const [branch, sha] = [textOf(name), textOf(objectOf(target).hash)];
      return branch === null || sha === null ? [] : [{ name: branch, sha }];
    });
    return { items, next: nextOf(body, page) };
  }

  async pullRequests(question: PullRequestQuestion): Promise<PullRequestAnswer> {
    const source = new BitbucketPulls(this.#at, this.#requests());
    return await readPullRequests(source, this.#at, question, "'Pull requests: read'");
  }

  async converse<T>(_repository: string, work: (pulls: PullConversation) => Promise<T>): Promise<T> {
    return await work(new BitbucketConversation(this.#at, this.#requests()));
  }

  #requests(): HostRequests {
    const headers = { authorization: `Bearer ${this.#token}` };
    return {
      ask: (path) => this.#ask(path),
      askOf: (repository, path) => this.#askOf(repository, path),
      send: (path, body) => askHost(this.#at, { method: "POST", path, body, headers }),
      tail: (path) => askForTail(this.#at, { path, headers }),
    };
  }

  #query(fields: Record<string, string>): URLSearchParams {
    return new URLSearchParams({ ...(this.#workspace === null && { role: "member" }), ...fields });
  }

  /** Asks for a list of a repository. */
  async #askOf(repository: string, path: string): Promise<HostAnswer> {
    const answer = await explained(this.#ask(path), ({ kind }) =>
      kind === "not_found" ? notReached(this.#at, repository).message : null,
    );
    if (answer.status < 300) return answer;
    const location = answer.headers.get("location")?.split("?")[0] ?? "";
    const now = /\/repositories\/([^/]+\/[^/]+)/.exec(location)?.[1];
    throw now === undefined ? notReached(this.#at, repository) : hasMoved(repository, now);
  }

  async #ask(path: string): Promise<HostAnswer> {
    const headers = { authorization: `Bearer ${this.#token}` };
    return await askHost(this.#at, { path, headers });
  }
}

/** Bitbucket, whose API makes no tokens, so that sessions get the workspace's. */
export function bitbucketHost(at: HostAddress, workspace: string, token: string): GitHost {
  return { ...bound(new BitbucketApi(at, workspace, token)), ...givesItself(token) };
}

function nextOf(body: unknown, page: number): number | null {
  return textOf(objectOf(body).next) === null ? null : page + 1;
}
