import type { ApiResponse } from "../handle-api-request.ts";
import { type ApiCall, type ApiState, EMPTY, header, json, page, tokenOf } from "./api-call.ts";

import { serveGiteaPulls } from "./gitea-pulls.ts";

interface AccountToken {
  id: number;
  user: string;
  name: string;
  token: string;
  scopes: string[];
}

const made = new WeakMap<object, AccountToken[]>();

/** Returns the access tokens that a host's accounts made. */
export function accountTokens(host: object): AccountToken[] {
  const tokens = made.get(host) ?? [];
  made.set(host, tokens);
  return tokens;
}

/**
 * The part of Gitea's API, version 1, that connections ask; Forgejo has the same. Its shapes are those of
 * "API Usage" and "Gitea API" (Swagger: userCreateToken, userDeleteAccessToken, repoSearch, repoGet,
 * repoListBranches) in its documentation.
 */
export async function serveGitea(state: ApiState, call: ApiCall): Promise<ApiResponse | null> {
  const { method, path, body } = call;
  const authorization = header(call, "authorization");
  const account = state.accounts.check(authorization);
  const token = account === null ? tokenOf(state, authorization) : null;
  if (account === null && token === null) return json(401, { message: "user does not exist" });
  const canAccess = (name: string) => token?.canAccess(name) ?? true;
  const [, user, key] = /^\/users\/([^/]+)\/tokens(?:\/(.+))?$/.exec(path) ?? [];
  if (user !== undefined) {
    if (account !== decodeURIComponent(user)) return json(403, { message: "auth required" });
    return serveTokens(state, account, { method, key, body });
  }
  if (path === "/user") return json(200, { id: 1, login: account ?? token?.user });
  if (path === "/repos/search") {
    const part = call.query.get("q")?.toLowerCase() ?? "";
    const all = state.repositories
      .all()
      .filter(({ name }) => canAccess(name) && name.toLowerCase().includes(part));
    const { shown, headers } = page(state, call, all, "limit");
    return json(200, { ok: true, data: shown.map((one) => repository(state, one)) }, headers);
  }
  const [, name = "", rest = ""] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
  const moved = state.repositories.movedTo(name);
  if (moved !== null) return json(301, {}, { location: `/api/v1/repos/${moved}${rest}` });
  const found = state.repositories.all().find((one) => one.name === name);
  if (found === undefined || !canAccess(name)) return json(404, { message: "not found" });
  if (rest === "") return json(200, repository(state, found));
  const mayWrite = token === null || token.pullRequests === "write";
  if (rest !== "/branches")
    return await serveGiteaPulls(state, call, { name, rest, user: account ?? token?.user ?? "", mayWrite });
  const { shown, headers } = page(state, call, await state.branches(name), "limit");
  return json(
    200,
    shown.map((one) => ({ name: one.name, commit: { id: one.sha } })),
    headers,
  );
}

function serveTokens(
  state: ApiState,
  user: string,
  { method, key, body }: { method: string; key: string | undefined; body: ApiCall["body"] },
): ApiResponse {
  const tokens = accountTokens(state.tokens);
  if (method === "DELETE") {
    const at = tokens.findIndex(
      (one) => one.user === user && [`${one.id}`, one.name].includes(decodeURIComponent(key ?? "")),
    );
    if (at < 0) return json(404, { message: "not found" });
    for (const gone of tokens.splice(at, 1)) state.tokens.revoke(gone.token);
    return EMPTY;
  }
  const [name, scopes] = [`${body.name}`, body.scopes as string[]];
  if (tokens.some((one) => one.user === user && one.name === name))
    return json(400, { message: "access token name has been used already" });
  const permissions = scopes.includes("write:repository") ? "write" : "read";
  const token = state.tokens.create({ user, permissions, scopes });
  const one = { id: nextId++, user, name, token, scopes };
  tokens.push(one);
  return json(201, { id: one.id, name, sha1: token, token_last_eight: token.slice(-8), scopes });
}

let nextId = 300;

function repository(
  { url }: ApiState,
  { name, private: isPrivate }: { name: string; private: boolean },
): object {
  return {
    ...{ full_name: name, html_url: `${url}/${name}`, default_branch: "main" },
    private: isPrivate,
  };
}
