import type { ApiResponse } from "../handle-api-request.ts";
import type { Token } from "../tokens.ts";
import { type ApiCall, type ApiState, EMPTY, header, json, page, reached, tokenOf } from "./api-call.ts";

import { serveMergeRequests } from "./gitlab-merge-requests.ts";

interface ProjectToken {
  id: number;
  name: string;
  token: string;
  project: string;
  scopes: string[];
}

const made = new WeakMap<object, ProjectToken[]>();

/** Returns the active project access tokens of a host. */
export function projectTokens(host: object): ProjectToken[] {
  const tokens = made.get(host) ?? [];
  made.set(host, tokens);
  return tokens;
}

/**
 * The part of GitLab's REST API, version 4, that connections ask, in the shapes of these pages of its
 * documentation: "Project access tokens API", "Personal access tokens API", "Projects API", "Branches API" and
 * "REST API" (pagination, redirects).
 */
export async function serveGitLab(state: ApiState, call: ApiCall): Promise<ApiResponse | null> {
  const { method, path, body } = call;
  const token = tokenOf(state, `Bearer ${header(call, "private-token") ?? ""}`);
  if (token === null) return json(401, { message: "401 Unauthorized" });
  if (path === "/user") return json(200, { id: token.user, username: token.user });
  if (path === "/personal_access_tokens/self")
    return json(200, { id: 3, name: `${token.user}-token`, scopes: token.scopes, active: true });
  if (path === "/projects") {
    const search = call.query.get("search")?.toLowerCase() ?? "";
    const all = reached(state, token).filter(({ name }) => name.toLowerCase().includes(search));
    const { shown, headers } = page(state, call, all, "per_page");
    return json(
      200,
      shown.map((one) => project(state, one)),
      headers,
    );
  }
  const [, encoded = "", rest = ""] = /^\/projects\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const asked = decodeURIComponent(encoded);
  const moved = state.repositories.movedTo(asked);
  const byId = state.repositories.all().find(({ id, name }) => `${id}` === asked || name === moved);
  if (moved !== null)
    return json(301, {}, { location: `${state.url}/api/v4/projects/${byId?.id ?? 0}${rest}` });
  const found = byId ?? state.repositories.all().find(({ name }) => name === asked);
  if (found === undefined || !token.canAccess(found.name))
    return json(404, { message: "404 Project Not Found" });
  if (rest === "") return json(200, project(state, found));
  if (rest === "/repository/branches") {
    const { shown, headers } = page(state, call, await state.branches(found.name), "per_page");
    return json(
      200,
      shown.map((one) => ({ name: one.name, commit: { id: one.sha } })),
      headers,
    );
  }
  if (/^\/(merge_requests|issues|repository\/commits\/|members\/|jobs\/)/.test(rest))
    return await serveMergeRequests(state, call, { token, name: found.name, rest });
  const [, id] = /^\/access_tokens(?:\/(\d+))?$/.exec(rest) ?? [];
  if (!rest.startsWith("/access_tokens")) return null;
  return serveTokens(state, token, found.name, { method, id, body });
}

function serveTokens(
  state: ApiState,
  token: Token,
  name: string,
  { method, id, body }: { method: string; id: string | undefined; body: ApiCall["body"] },
): ApiResponse {
  const tokens = projectTokens(state.tokens);
  if (!token.scopes.includes("api")) return json(403, { error: "insufficient_scope" });
  if (method === "GET")
    return json(
      200,
      tokens.filter(({ project: of }) => of === name).map(({ token: _secret, ...one }) => one),
    );
  if (method === "DELETE") {
    const at = tokens.findIndex((one) => `${one.id}` === id && one.project === name);
    if (at < 0) return json(404, { message: "404 Not found" });
    for (const gone of tokens.splice(at, 1)) state.tokens.revoke(gone.token);
    return EMPTY;
  }
  const scopes = body.scopes as string[];
  const value = state.tokens.create({
    user: `project_${name}_bot`,
    repositories: [name],
    permissions: scopes.includes("write_repository") ? "write" : "read",
    scopes,
  });
  const one = { id: nextId++, name: `${body.name}`, token: value, project: name, scopes };
  tokens.push(one);
  return json(201, { ...one, expires_at: body.expires_at, access_level: body.access_level, active: true });
}

let nextId = 900;

function project(
  { url }: ApiState,
  { name, private: isPrivate }: { name: string; private: boolean },
): object {
  return {
    ...{ path_with_namespace: name, web_url: `${url}/${name}`, default_branch: "main" },
    visibility: isPrivate ? "private" : "public",
  };
}
