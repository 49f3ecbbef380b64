import type { ApiResponse } from "../handle-api-request.ts";
import type { ApiCall, ApiState, ServeApi } from "./api-call.ts";
import { serveBitbucket } from "./bitbucket.ts";
import { serveGitea } from "./gitea.ts";
import { serveGitHub } from "./github-rest.ts";
import { serveGitLab } from "./gitlab.ts";

const APIS: readonly (readonly [prefix: string, serve: ServeApi])[] = [
  ["/api/v3", serveGitHub],
  ["/api/v4", serveGitLab],
  ["/api/v1", serveGitea],
  ["/2.0", serveBitbucket],
];

/** Returns whether a path is below one of the REST APIs. */
export function isRestPath(path: string): boolean {
  return APIS.some(([prefix]) => path.startsWith(`${prefix}/`));
}

/** Answers a request to one of the REST APIs; null for a path that it does not have. */
export async function serveRest(
  state: ApiState,
  { method, url, headers }: { method: string; url: URL; headers: ApiCall["headers"] },
  body: string,
): Promise<ApiResponse | null> {
  const [prefix = "", serve] = APIS.find(([one]) => url.pathname.startsWith(`${one}/`)) ?? [];
  const call = { method, path: url.pathname.slice(prefix.length), query: url.searchParams, headers };
  return (await serve?.(state, { ...call, body: body === "" ? {} : JSON.parse(body) })) ?? null;
}
