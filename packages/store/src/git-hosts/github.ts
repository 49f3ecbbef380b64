import type { ConnectionAuth, HostBranch, HostRepository } from "@berth/contract";
import { appJwt } from "./app-jwt.ts";
import {
  askForTail,
  askHost,
  explained,
  type HostAddress,
  type HostAnswer,
  hasMoved,
  named,
  nextPage,
  notReached,
  objectOf,
  objectsIn,
  repositoryPath,
  textOf,
} from "./ask-host.ts";
import type { GitHost, HostPage, MadeToken, RepositoryApi, RevokedToken, TokenRequest } from "./git-host.ts";
import { GitHostError } from "./git-host-error.ts";
import { GitHubConversation } from "./github-conversation.ts";
import { GitHubPulls } from "./github-pulls.ts";
import type { PullConversation } from "./pull-conversation.ts";
import {
  type HostRequests,
  type PullRequestAnswer,
  type PullRequestQuestion,
  readPullRequests,
} from "./pull-requests.ts";

const PER_PAGE = 100;
const VERSION = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };

/** GitHub's REST API with a user's token or an installation's. */
export class GitHubApi implements RepositoryApi {
  readonly #at: HostAddress;
  readonly #token: string;
  /** The list of repositories, which is another one for an installation. */
  readonly #list: string;

  constructor(at: HostAddress, token: string, list = "/user/repos") {
    this.#at = at;
    this.#token = token;
    this.#list = list;
  }

  async check(): Promise<string> {
    const { body } = await this.#ask("/user");
    return `${this.#at.host} accepts the token of ${named(objectOf(body).login)}.`;
  }

  /** GitHub does not search what a token reaches, so all names are returned. */
  async repositories(_search: string | null, page: number): Promise<HostPage<HostRepository>> {
    const answer = await this.#ask(`${this.#list}?per_page=${PER_PAGE}&page=${page}`);
    const { body } = answer;
    const items = objectsIn(Array.isArray(body) ? body : objectOf(body).repositories).flatMap(toRepository);
    return { items, next: nextPage(answer, page) };
  }

  async branches(repository: string, page: number): Promise<HostPage<HostBranch>> {
    const path = `/repos/${repositoryPath(repository)}/branches?per_page=${PER_PAGE}&page=${page}`;
    const answer = await this.#askOf(repository, path);
    const items = objectsIn(answer.body).flatMap(({ name, commit }) => {
      const [branch, sha] = [textOf(name), textOf(objectOf(commit).sha)];
      return branch === null || sha === null ? [] : [{ name: branch, sha }];
    });
    return { items, next: nextPage(answer, page) };
  }

  async pullRequests(question: PullRequestQuestion): Promise<PullRequestAnswer> {
    const source = new GitHubPulls(this.#at, this.#requests());
    return await readPullRequests(source, this.#at, question, "'Checks: read' and 'Commit statuses: read'");
  }

  async converse<T>(_repository: string, work: (pulls: PullConversation) => Promise<T>): Promise<T> {
    return await work(new GitHubConversation(this.#at, this.#requests()));
  }

  /** Returns the error for a repository that the host does not find, or that has another name now. */
  async moved(repository: string): Promise<GitHostError> {
    const first = await this.#ask(`/repos/${repositoryPath(repository)}`).catch(() => null);
    const location = first?.headers.get("location") ?? null;
    if (first === null || first.status < 300 || location === null) return notReached(this.#at, repository);
    const next = URL.parse(location, `${this.#at.api}/`)?.href ?? "";
    if (!next.startsWith(`${this.#at.api}/`)) return notReached(this.#at, repository);
    const { body } = await this.#ask(next.slice(this.#at.api.length)).catch(() => ({ body: null }));
    return hasMoved(repository, objectOf(body).full_name);
  }

  /** Asks for a list of a repository. */
  async #askOf(repository: string, path: string): Promise<HostAnswer> {
    const answer = await explained(this.#ask(path), ({ kind }) =>
      kind === "not_found" ? notReached(this.#at, repository).message : null,
    );
    if (answer.status >= 300) throw await this.moved(repository);
    return answer;
  }

  #requests(): HostRequests {
    return {
      ask: (path) => this.#ask(path),
      askOf: (repository, path) => this.#askOf(repository, path),
      send: (path, body) => askHost(this.#at, { method: "POST", path, body, headers: this.#headers() }),
      tail: (path) => askForTail(this.#at, { path, headers: this.#headers() }),
    };
  }

  async #ask(path: string): Promise<HostAnswer> {
    return await askHost(this.#at, { path, headers: this.#headers() });
  }

  #headers(): Record<string, string> {
    return { ...VERSION, authorization: `Bearer ${this.#token}` };
  }
}

type AppAuth = Extract<ConnectionAuth, { type: "github_app" }>;
type Levels = Record<string, "read" | "write">;

/** What tells whether a commit is good: check runs, commit statuses, and the logs of workflows. */
const CHECKS: Levels = { checks: "read", statuses: "read", actions: "read" };
const WANTED: Record<TokenRequest["access"], Levels> = {
  read_only: { contents: "read", metadata: "read", pull_requests: "read", issues: "read", ...CHECKS },
  read_write: { contents: "write", metadata: "read", pull_requests: "write", issues: "write", ...CHECKS },
};
/** What reading the state of pull requests needs. */
const PULL_REQUESTS: Levels = {
  ...{ metadata: "read", pull_requests: "read", checks: "read", statuses: "read" },
};

/** What following a pull request needs. */
const FOLLOW: Levels = {
  ...{ metadata: "read", contents: "read", pull_requests: "write", issues: "write", ...CHECKS },
};

/** How GitHub's pages name permissions. */
const NAMES = { contents: "Contents", pull_requests: "Pull requests" } as const;

/** A GitHub App as it is installed in an account. */
export function gitHubAppHost(at: HostAddress, auth: AppAuth, privateKey: string): GitHost {
  const installation = `/app/installations/${auth.installation_id}`;
  const askApp = (method: "GET" | "POST", path: string, body?: object) =>
    explained(
      askHost(at, {
        ...{ method, path, ...(body !== undefined && { body }) },
        headers: { ...VERSION, authorization: `Bearer ${appJwt(auth.app_id, privateKey)}` },
      }),
      ({ kind }) => {
        if (kind === "authentication") return `${at.host} rejects the app's id or its private key.`;
        if (kind === "not_found")
          return `The app's installation ${auth.installation_id} is gone from ${at.host}, or never was there.`;
        if (kind === "forbidden")
          return `The app's installation ${auth.installation_id} is suspended at ${at.host}.`;
        return null;
      },
    );

  const mint = async (body: object): Promise<MadeToken> => {
    const made = objectOf((await askApp("POST", `${installation}/access_tokens`, body)).body);
    const [token, expiry] = [textOf(made.token), Date.parse(textOf(made.expires_at) ?? "")];
    if (token === null || Number.isNaN(expiry))
      throw new GitHostError(`${at.host} made no token.`, { kind: "unknown" });
    return { token, expiresAt: new Date(expiry), hostId: null, isOwn: true };
  };

  const revoke = async (token: string): Promise<void> => {
    const headers = { ...VERSION, authorization: `Bearer ${token}` };
    await unlessGone(askHost(at, { method: "DELETE", path: "/installation/token", headers }));
  };

  /** Asks the API with a token that is revoked afterwards. */
  const withApi = async <T>(permissions: Levels, ask: (api: GitHubApi) => Promise<T>): Promise<T> => {
    const { token } = await mint({ permissions });
    try {
      return await ask(new GitHubApi(at, token, "/installation/repositories"));
    } finally {
      // It ends within the hour in any case.
      await revoke(token).catch(() => undefined);
    }
  };

  /** Makes a token for one repository with the wanted permissions that the installation grants. */
  const mintFor = async (
    repository: string,
    wanted: Levels,
    needed: keyof typeof NAMES,
  ): Promise<MadeToken> => {
    const [owner = "", ...rest] = repository.split("/");
    const repositories = [rest.join("/")];
    try {
      return await mint({ repositories, permissions: wanted });
    } catch (error) {
      if (
        !(error instanceof GitHostError) ||
        error.fault.kind !== "unknown" ||
        error.fault.transient === true
      )
        throw error;
    }
    // GitHub does not say whether it rejected the permissions or the repository.
    const found = objectOf((await askApp("GET", installation)).body);
    const login = textOf(objectOf(found.account).login);
    if (login?.toLowerCase() !== owner.toLowerCase())
      throw new GitHostError(
        `The app is installed for ${named(login)}, which does not have the repository '${repository}'.`,
        { kind: "not_found" },
      );
    const permissions = granted(wanted, objectOf(found.permissions));
    if (permissions[needed] === undefined) {
      const level = wanted[needed] === "write" ? "read and write" : "read";
      throw new GitHostError(
        `The app's installation for ${named(login)} does not grant '${NAMES[needed]}: ${level}'.`,
        { kind: "forbidden" },
      );
    }
    if (Object.keys(permissions).length < Object.keys(wanted).length) {
      const made = await mint({ repositories, permissions }).catch(() => null);
      if (made !== null) return made;
    }
    throw await withApi({ metadata: "read" }, (api) => api.moved(repository));
  };

  return {
    check: async () => {
      const found = objectOf((await askApp("GET", installation)).body);
      const account = named(objectOf(found.account).login);
      if (textOf(found.suspended_at) !== null)
        throw new GitHostError(`The app's installation for ${account} is suspended.`, { kind: "forbidden" });
      return `${at.host} accepts the app, which is installed for ${account}.`;
    },
    repositories: (search, page) => withApi({ metadata: "read" }, (api) => api.repositories(search, page)),
    branches: (repository, page) =>
      withApi({ metadata: "read", contents: "read" }, (api) => api.branches(repository, page)),
    pullRequests: async (question) => {
      const asked = (token: string) => new GitHubApi(at, token).pullRequests(question);
      if (question.token !== null) {
        try {
          return await asked(question.token);
        } catch (error) {
          // The host may have revoked it, and it has no permission that the installation grants at a lower level.
          const kind = error instanceof GitHostError ? error.fault.kind : null;
          if (kind !== "authentication" && kind !== "forbidden") throw error;
        }
      }
      const { token } = await mintFor(question.repository, PULL_REQUESTS, "pull_requests");
      try {
        return await asked(token);
      } finally {
        await revoke(token).catch(() => undefined);
      }
    },
    converse: async (repository, work) => {
      const { token } = await mintFor(repository, FOLLOW, "pull_requests");
      try {
        return await new GitHubApi(at, token).converse(repository, work);
      } finally {
        await revoke(token).catch(() => undefined);
      }
    },
    makeToken: async ({ repository, access }) => await mintFor(repository, WANTED[access], "contents"),
    revokeToken: async ({ token }: RevokedToken) => {
      if (token !== null) await revoke(token);
    },
  };
}

/** Returns the wanted permissions that an installation grants at the wanted level or a higher one. */
function granted(wanted: Levels, found: Record<string, unknown>): Partial<Levels> {
  const entries = Object.entries(wanted).filter(
    ([name, level]) => found[name] === "write" || (level === "read" && found[name] === "read"),
  );
  return Object.fromEntries(entries);
}

/** Waits for a revocation. A token that the host does not know any more needs none. */
export async function unlessGone(revocation: Promise<unknown>): Promise<void> {
  try {
    await revocation;
  } catch (error) {
    const kind = error instanceof GitHostError ? error.fault.kind : null;
    if (kind !== "authentication" && kind !== "not_found") throw error;
  }
}

function toRepository(found: Record<string, unknown>): HostRepository[] {
  const [full_name, url] = [textOf(found.full_name), textOf(found.html_url)];
  if (full_name === null || url === null) return [];
  return [{ full_name, url, default_branch: textOf(found.default_branch), private: found.private !== false }];
}
