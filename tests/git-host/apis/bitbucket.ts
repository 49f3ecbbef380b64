import type { ApiResponse } from "../handle-api-request.ts";
import { type ApiCall, type ApiState, header, json, reached, tokenOf } from "./api-call.ts";
import { serveBitbucketPulls } from "./bitbucket-pulls.ts";

/**
 * The part of Bitbucket Cloud's REST API, version 2.0, that connections ask, in the shapes of these pages of its
 * documentation: "Repositories", "Refs" and "Pagination" of the REST API reference, and "Access tokens".
 */
export async function serveBitbucket(state: ApiState, call: ApiCall): Promise<ApiResponse | null> {
  const token = tokenOf(state, header(call, "authorization"));
  if (token === null) return json(401, { type: "error", error: { message: "Token is invalid" } });
  const [, workspace, name, rest] =
    /^\/repositories(?:\/([^/]+))?(?:\/([^/]+)(\/.*)?)?$/.exec(call.path) ?? [];
  if (call.path === "/user") return json(200, { nickname: token.user, uuid: token.user });
  if (!call.path.startsWith("/repositories")) return null;
  if (name === undefined) {
    const part = /name ~ "(.*)"/.exec(call.query.get("q") ?? "")?.[1]?.toLowerCase() ?? "";
    const all = reached(state, token)
      .filter((one) => workspace === undefined || one.name.startsWith(`${workspace}/`))
      .filter((one) => (one.name.split("/")[1] ?? "").toLowerCase().includes(part));
    return paged(state, call, all, (one) => ({
      ...{ full_name: one.name, is_private: one.private, mainbranch: { name: "main" } },
      links: { html: { href: `${state.url}/${one.name}` } },
    }));
  }
  const full = `${workspace}/${name}`;
  if (state.repositories.find(full) === null || !token.canAccess(full))
    return json(404, { type: "error", error: { message: "Repository not found" } });
  if (rest === undefined) return json(200, { full_name: full });
  if (rest !== "/refs/branches") return await serveBitbucketPulls(state, call, { token, name: full, rest });
  return paged(state, call, await state.branches(full), (one) => ({
    name: one.name,
    target: { hash: one.sha },
  }));
}

export function paged<Item>(
  { url }: ApiState,
  { path, query }: ApiCall,
  items: readonly Item[],
  toValue: (item: Item) => object,
): ApiResponse {
  const size = Number(query.get("pagelen") ?? 10);
  const number = Number(query.get("page") ?? 1);
  const hasMore = number * size < items.length;
  return json(200, {
    ...{ size: items.length, page: number, pagelen: size },
    values: items.slice((number - 1) * size, number * size).map(toValue),
    ...(hasMore && { next: `${url}/2.0${path}?page=${number + 1}` }),
  });
}
