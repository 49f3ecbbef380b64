import type { ApiResponse } from "../handle-api-request.ts";
import { type ApiCall, type ApiState, EMPTY, header, json, page, reached, tokenOf } from "./api-call.ts";
import { serveJobLog } from "./github-conversation.ts";
import { serveGitHubPulls } from "./github-pulls.ts";

/**
 * The part of GitHub's REST API, version 2022-11-28, that connections ask, in the shapes of these pages of its
 * documentation: "REST API endpoints for GitHub Apps", "REST API endpoints for GitHub App installations", "REST
 * API endpoints for repositories", "REST API endpoints for branches", and "Generating a JSON Web Token (JWT) for
 * a GitHub App".
 */
export async function serveGitHub(state: ApiState, call: ApiCall): Promise<ApiResponse | null> {
  const { method, path } = call;
  const code = /^\/app-manifests\/([\w-]+)\/conversions$/.exec(path)?.[1];
  if (code !== undefined && method === "POST") return convertManifest(state, code);
  if (path === "/app/installations") return serveInstallations(state, call);
  const app = /^\/app\/installations\/(\d+)(\/access_tokens)?$/.exec(path);
  if (app !== null) return serveApp(state, call, app[1] ?? "", app[2] !== undefined);
  const log = serveJobLog(path);
  if (log !== null) return log;
  const authorization = header(call, "authorization");
  const token = tokenOf(state, authorization);
  const known = [
    /^\/installation\/token$/,
    /^\/(installation|user)\/(repositories|repos)$/,
    /^\/repos\//,
    /^\/repositories\//,
  ];
  if (!known.some((pattern) => pattern.test(path))) return null;
  if (token === null) return json(401, { message: "Bad credentials" });
  if (path === "/installation/token" && method === "DELETE")
    return state.apps.revoke((authorization ?? "").split(" ")[1] ?? "") ? EMPTY : json(403, { message: "" });
  if (path === "/installation/repositories" || path === "/user/repos") {
    const all = reached(state, token);
    const { shown, headers } = page(state, call, all, "per_page");
    const repositories = shown.map((one) => repositoryObject(state, one));
    const body = path === "/user/repos" ? repositories : { total_count: all.length, repositories };
    return json(200, body, headers);
  }
  const byId = /^\/repositories\/(\d+)$/.exec(path)?.[1];
  if (byId !== undefined) {
    const found = state.repositories.all().find(({ id }) => `${id}` === byId);
    return found === undefined || !token.canAccess(found.name)
      ? json(404, { message: "Not Found" })
      : json(200, repositoryObject(state, found));
  }
  const [, name = "", rest = ""] = /^\/repos\/([^/]+\/[^/]+)(\/.*)?$/.exec(path) ?? [];
  const moved = state.repositories.movedTo(name);
  if (moved !== null) {
    const id = state.repositories.all().find((one) => one.name === moved)?.id;
    return json(
      301,
      { message: "Moved Permanently" },
      { location: `${state.url}/api/v3/repositories/${id}` },
    );
  }
  const found = state.repositories.all().find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found === undefined || !token.canAccess(found.name)) return json(404, { message: "Not Found" });
  if (rest === "") return json(200, repositoryObject(state, found));
  if (rest !== "/branches") return await serveGitHubPulls(state, call, { token, name: found.name, rest });
  const { shown, headers } = page(state, call, await state.branches(found.name), "per_page");
  const list = shown.map((one) => ({ name: one.name, commit: { sha: one.sha, url: "" }, protected: false }));
  return json(200, list, headers);
}

/** As in "Registering a GitHub App from a manifest". */
function convertManifest({ apps, url }: ApiState, code: string): ApiResponse {
  const app = apps.convert(code);
  if (app === null) return json(404, { message: "Not Found" });
  const slug = app.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return json(201, {
    ...{ id: Number(app.id), slug, name: app.name, html_url: `${url}/apps/${slug}` },
    ...{ pem: app.privateKey, webhook_secret: app.secret, client_id: `Iv1.${app.id}` },
    ...{ permissions: app.permissions, events: app.events },
  });
}

function serveInstallations({ apps }: ApiState, call: ApiCall): ApiResponse {
  const app = apps.appOf(header(call, "authorization"));
  if (app === null) return json(401, { message: "A JSON web token could not be decoded" });
  const shown = apps
    .installationsOf(app)
    .map(({ id, account, permissions }) => ({ id: Number(id), account: { login: account }, permissions }));
  return json(200, shown);
}

function serveApp(state: ApiState, call: ApiCall, id: string, isToken: boolean): ApiResponse {
  const { apps, repositories: known } = state;
  const app = apps.appOf(header(call, "authorization"));
  if (app === null) return json(401, { message: "A JSON web token could not be decoded" });
  const installation = apps.find(id);
  if (installation === null || installation.appId !== app) return json(404, { message: "Not Found" });
  const { account, permissions, suspended } = installation;
  if (!isToken)
    return json(200, {
      ...{ id: Number(id), app_slug: "berth", account: { login: account }, permissions },
      suspended_at: suspended ? new Date().toISOString() : null,
    });
  if (suspended) return json(403, { message: "This installation has been suspended" });
  const asked = (call.body.permissions ?? permissions) as Record<string, string>;
  const names = (call.body.repositories ?? null) as string[] | null;
  for (const [name, level] of Object.entries(asked)) {
    const granted = permissions[name];
    if (granted === undefined || (level === "write" && granted === "read"))
      return json(422, { message: "The permissions requested are not granted to this installation." });
  }
  const all = installation.repositories;
  for (const name of names ?? []) {
    const isSelected = all === null || all.includes(name);
    if (!isSelected || known.find(`${account}/${name}`) === null)
      return json(422, {
        message: "There is at least one repository that does not exist or is not accessible",
      });
  }
  const minted = apps.mint(installation, names, asked);
  return json(201, {
    token: minted.token,
    expires_at: minted.expiresAt.toISOString().replace(/\.\d+Z/, "Z"),
    permissions: asked,
    repository_selection: names === null && all === null ? "all" : "selected",
  });
}

function repositoryObject(
  { url }: ApiState,
  { name, private: isPrivate }: { name: string; private: boolean },
): object {
  return {
    ...{ full_name: name, name: name.split("/").at(-1), private: isPrivate, default_branch: "main" },
    ...{ html_url: `${url}/${name}`, clone_url: `${url}/${name}.git` },
  };
}
