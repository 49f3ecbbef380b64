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
import { GitLabConversation } from "./gitlab-conversation.ts";
import { GitLabPulls } from "./gitlab-pulls.ts";
import type { PullConversation } from "./pull-conversation.ts";
import {
  type HostRequests,
  type PullRequestAnswer,
  type PullRequestQuestion,
  readPullRequests,
} from "./pull-requests.ts";

const PER_PAGE = 100;
/** GitLab's tokens end at the beginning of a day, and this is the first day on which none is valid any more. */
const DAYS = 2;
const DAY_MS = 86_400_000;
const DEVELOPER = 30;
const REPORTER = 20;

/** GitLab's REST API, version 4, with an access token. */
export class GitLabApi implements RepositoryApi {
  readonly #at: HostAddress;
  readonly #token: string;

  constructor(at: HostAddress, token: string) {
    this.#at = at;
    this.#token = token;
  }

  async check(): Promise<string> {
    const { body } = await this.ask({ path: "/user" });
    return `${this.#at.host} accepts the token of ${named(objectOf(body).username)}.`;
  }

  async repositories(search: string | null, page: number): Promise<HostPage<HostRepository>> {
    const query = new URLSearchParams({
      ...{ membership: "true", simple: "true", per_page: `${PER_PAGE}`, page: `${page}` },
      ...(search !== null && { search, search_namespaces: "true" }),
    });
    const answer = await this.ask({ path: `/projects?${query}` });
    const items = objectsIn(answer.body).flatMap((found) => {
      const [full_name, url] = [textOf(found.path_with_namespace), textOf(found.web_url)];
      if (full_name === null || url === null) return [];
      const isPrivate = found.visibility !== "public";
      return [{ full_name, url, default_branch: textOf(found.default_branch), private: isPrivate }];
    });
    return { items, next: nextPage(answer, page) };
  }

  async branches(repository: string, page: number): Promise<HostPage<HostBranch>> {
    const path = `${projectPath(repository)}/repository/branches?per_page=${PER_PAGE}&page=${page}`;
    const answer = await this.#askOf(repository, path);
    const items = objectsIn(answer.body).flatMap(({ name, commit }) => {
      const [branch, sha] = [textOf(name), textOf(objectOf(commit).id)];
      return branch === null || sha === null ? [] : [{ name: branch, sha }];
    });
    return { items, next: nextPage(answer, page) };
  }

  async pullRequests(question: PullRequestQuestion): Promise<PullRequestAnswer> {
    const source = new GitLabPulls(this.#at, this.#requests(), projectPath);
    return await readPullRequests(source, this.#at, question, "the scope 'read_api'");
  }

  async converse<T>(_repository: string, work: (pulls: PullConversation) => Promise<T>): Promise<T> {
    return await work(new GitLabConversation(this.#at, this.#requests(), projectPath));
  }

  #requests(): HostRequests {
    return {
      ask: (path) => this.ask({ path }),
      askOf: (repository, path) => this.#askOf(repository, path),
      send: (path, body) => this.ask({ method: "POST", path, body }),
      tail: (path) => askForTail(this.#at, { path, headers: { "private-token": this.#token } }),
    };
  }

  /** Returns the error for a repository that the host does not find, or that has another name now. */
  async moved(repository: string): Promise<GitHostError> {
    const answer = await this.ask({ path: projectPath(repository) }).catch(() => null);
    const location = answer?.headers.get("location") ?? "";
    const id = /\/projects\/(\d+)$/.exec(location.split("?")[0] ?? "")?.[1];
    if (id === undefined) return notReached(this.#at, repository);
    const { body } = await this.ask({ path: `/projects/${id}` }).catch(() => ({ body: null }));
    return hasMoved(repository, objectOf(body).path_with_namespace);
  }

  /** Asks for a list of a repository. */
  async #askOf(repository: string, path: string): Promise<HostAnswer> {
    const answer = await explained(this.ask({ path }), ({ kind }) =>
      kind === "not_found" ? notReached(this.#at, repository).message : null,
    );
    if (answer.status >= 300) throw await this.moved(repository);
    return answer;
  }

  async ask(question: Omit<HostQuestion, "headers">): Promise<HostAnswer> {
    return await askHost(this.#at, { ...question, headers: { "private-token": this.#token } });
  }
}

/** GitLab with a token that may make project access tokens. */
export function gitLabHost(at: HostAddress, token: string): GitHost {
  const api = new GitLabApi(at, token);
  return {
    ...bound(api),
    check: async () => {
      const { name, scopes } = objectOf((await api.ask({ path: "/personal_access_tokens/self" })).body);
      if (!Array.isArray(scopes) || !scopes.includes("api"))
        throw new GitHostError(`The token at ${at.host} does not have the scope 'api'.`, {
          kind: "forbidden",
        });
      return `${at.host} accepts the token ${named(name)}.`;
    },
    makeToken: async ({ repository, access, name }) => {
      const expires = new Date(Date.now() + DAYS * DAY_MS).toISOString().slice(0, 10);
      const isReading = access === "read_only";
      const body = {
        name,
        scopes: isReading ? ["read_repository"] : ["read_repository", "write_repository"],
        access_level: isReading ? REPORTER : DEVELOPER,
        expires_at: expires,
      };
      const path = `${projectPath(repository)}/access_tokens`;
      const made = await explained(api.ask({ method: "POST", path, body }), ({ kind, transient }) =>
        kind === "forbidden" || (kind === "unknown" && transient !== true)
          ? `${at.host} does not let the connection make access tokens for '${repository}'.`
          : null,
      ).catch(async (error: GitHostError) => {
        throw error.fault.kind === "not_found" ? await api.moved(repository) : error;
      });
      if (made.status >= 300) throw await api.moved(repository);
      const { id, token: value, expires_at: until } = objectOf(made.body);
      const [own, expiry] = [textOf(value), Date.parse(textOf(until) ?? expires)];
      if (own === null || typeof id !== "number")
        throw new GitHostError(`${at.host} made no token.`, { kind: "unknown" });
      return { token: own, expiresAt: new Date(expiry), hostId: `${id}`, isOwn: true };
    },
    revokeToken: async ({ repository, name, hostId }) => {
      const tokens = `${projectPath(repository)}/access_tokens`;
      const id = hostId ?? (await findToken(api, tokens, name));
      if (id === null) return;
      await api.ask({ method: "DELETE", path: `${tokens}/${id}` }).catch((error: GitHostError) => {
        if (error.fault.kind !== "not_found") throw error;
      });
    },
  };
}

/** Returns the id of the active token with a name; null if there is none. */
async function findToken(api: GitLabApi, tokens: string, name: string): Promise<string | null> {
  for (let page: number | null = 1; page !== null; ) {
    const answer: HostAnswer = await api.ask({
      path: `${tokens}?state=active&per_page=${PER_PAGE}&page=${page}`,
    });
    const found = objectsIn(answer.body).find((one) => one.name === name);
    if (typeof found?.id === "number") return `${found.id}`;
    page = nextPage(answer, page);
  }
  return null;
}

/** GitLab takes a project's full name as one segment of the path. */
function projectPath(repository: string): string {
  return `/projects/${encodeURIComponent(repositoryPath(repository).split("/").map(decodeURIComponent).join("/"))}`;
}
