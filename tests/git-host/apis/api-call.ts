import type { HostCheck, Project, PullRequest } from "../github/projects.ts";
import type { ApiResponse } from "../handle-api-request.ts";
import type { Repositories } from "../repositories.ts";
import type { Token, Tokens } from "../tokens.ts";
import type { Accounts } from "./accounts.ts";
import type { Apps } from "./apps.ts";

/** A request to one of the host's REST APIs. `path` is below the API's own. */
export interface ApiCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: NodeJS.Dict<string | string[]>;
  body: Record<string, unknown>;
}

/** What the REST APIs share. */
export interface ApiState {
  /** `https://host`. */
  url: string;
  repositories: Repositories;
  tokens: Tokens;
  apps: Apps;
  accounts: Accounts;
  /** Returns the pull requests of a repository, by its full name. */
  project(repository: string): Project;
  /** Returns the names of a repository's branches, with their commits. */
  branches(repository: string): Promise<{ name: string; sha: string }[]>;
}

/** Returns the response to a request, or null for a path that the API does not have. */
export type ServeApi = (state: ApiState, call: ApiCall) => Promise<ApiResponse | null> | ApiResponse | null;

export function json(status: number, body: object, headers: Record<string, string> = {}): ApiResponse {
  return { status, headers, body };
}

export const EMPTY: ApiResponse = { status: 204, headers: {}, body: {} };

/** Returns a page of a list, with the `Link` header that GitHub, GitLab and Gitea send. */
export function page<Item>(
  { url }: ApiState,
  { path, query }: ApiCall,
  items: readonly Item[],
  sizeName: "per_page" | "limit",
): { shown: Item[]; headers: Record<string, string> } {
  const size = Number(query.get(sizeName) ?? 30);
  const number = Number(query.get("page") ?? 1);
  const shown = items.slice((number - 1) * size, number * size);
  const hasMore = number * size < items.length;
  return { shown, headers: hasMore ? { link: `<${url}${path}?page=${number + 1}>; rel="next"` } : {} };
}

/** Returns the valid token of a credential's text; null without one. */
export function tokenOf({ tokens }: ApiState, credential: string | undefined): Token | null {
  const checked = tokens.check(credential);
  return checked.kind === "valid" ? checked.token : null;
}

export function header({ headers }: ApiCall, name: string): string | undefined {
  return headers[name]?.toString();
}

/** Returns the repositories that a token reaches, by full name. */
export function reached({ repositories }: ApiState, token: Token): { name: string; private: boolean }[] {
  return repositories.all().filter(({ name }) => token.canAccess(name));
}

/** Returns the checks of a pull request's head. */
export function checksOf({ ci, checks }: PullRequest, sha: string): HostCheck[] {
  return ci?.(sha) ?? checks;
}

/** Returns all checks of a commit. */
export async function checksAt(state: ApiState, repository: string, sha: string): Promise<HostCheck[]> {
  const of = await Promise.all(
    state
      .project(repository)
      .pullRequests.map(async (one) =>
        (await headOf(state, repository, one)) === sha ? checksOf(one, sha) : [],
      ),
  );
  return of.flat();
}

/** A text, such as a log, in place of JSON. */
export function plain(text: string): ApiResponse {
  return { status: 200, headers: { "content-type": "text/plain" }, body: {}, text };
}

/** Returns the commit of a pull request's head, also when its branch is gone. */
export async function headOf(
  state: ApiState,
  repository: string,
  { head, headOid }: { head: string; headOid: string },
): Promise<string> {
  return (await state.branches(repository)).find(({ name }) => name === head)?.sha ?? headOid;
}
