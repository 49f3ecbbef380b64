import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Accounts } from "./apis/accounts.ts";
import type { ApiState } from "./apis/api-call.ts";
import { Apps } from "./apis/apps.ts";
import { isRestPath, serveRest } from "./apis/serve-rest.ts";
import { makeCertificates } from "./certificates.ts";
import { serveGit } from "./git-backend.ts";
import { type AnswerGraphql, Hub } from "./github/hub.ts";
import type { Project } from "./github/projects.ts";
import { handleApiRequest } from "./handle-api-request.ts";
import { Hooks } from "./hooks.ts";
import { LfsObjects } from "./lfs-objects.ts";
import { type Commit, Repositories, type RepositoryOptions } from "./repositories.ts";
import { type Credential, type TokenOptions, Tokens, userNameIn } from "./tokens.ts";

export interface GitHostOptions {
  /**
   * An empty or missing directory for the host's files, which the caller removes. Default: a new one, which
   * `stop` removes.
   */
  dir?: string;
  /** The port; a free one by default. */
  port?: number;
  /** Further host names in the certificate. */
  names?: readonly string[];
  /** Serves plain HTTP; the certificate is then unused. */
  plain?: true;
  /** Called for each request, before it is handled. */
  onRequest?: () => void;
  /** Called for each request; returns true if it sends the response itself. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Answers GraphQL, see `startGitHubHost`. Default: the API has none. */
  graphql?: AnswerGraphql;
}

/** A completed request, for assertions. It never contains a token. */
export interface ServedRequest {
  /** User name of the Basic credential, whether or not it is valid; null without one. */
  user: string | null;
  method: string;
  path: string;
  status: number;
}

export interface GitHost {
  /**
   * `https://git.localhost:PORT`, without the port if it is 443. A repository is at `<url>/<org>/<name>`;
   * `org` may have several segments.
   */
  url: string;
  /** `git.localhost:PORT`. */
  host: string;
  port: number;
  /** PEM file of the authority that signed the certificate. */
  caFile: string;
  requests: ServedRequest[];
  createRepository(options: RepositoryOptions): Promise<void>;
  createToken(options: TokenOptions): string;
  revokeToken(token: string): void;
  /** GitHub Apps and their installations. */
  apps: Apps;
  /** Creates an account with a password, as Gitea's API needs it. */
  createAccount(user: string, password: string): void;
  /** Gives a repository another full name, such as `acme/gadget`. */
  moveRepository(from: string, to: string): Promise<void>;
  /** What its REST APIs share, for `projectTokens` and `accountTokens`. */
  tokens: Tokens;
  /** Returns the head commit of a branch; null if there is no such branch. */
  head(org: string, name: string, branch: string): Promise<string | null>;
  log(org: string, name: string, branch: string): Promise<Commit[]>;
  /** The Git LFS objects, by `org/name`. */
  lfs: LfsObjects;
  /** Webhooks of repositories, to which pushes, labels and comments are told. */
  hooks: Hooks;
  /** Returns the issues and pull requests that the API serves. */
  project(org: string, name: string): Project;
  stop(): Promise<void>;
}

/**
 * Starts an https git server on loopback with its own certificate authority, private repositories and tokens.
 *
 * Its name is `git.localhost`. Names below `localhost` are loopback by RFC 6761. Git (through curl) and the
 * egress of a sandbox resolve them without a resolver, so one URL works on the host and in a sandbox.
 *
 * It responds like hosting providers. 401: a private repository without a token, or any wrong, expired or
 * revoked token. 403: a valid token that lacks access. 404: the repository does not exist.
 */
export async function startGitHost(options: GitHostOptions = {}): Promise<GitHost> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), "git-host-")));
  await mkdir(dir, { recursive: true });
  const names = ["git.localhost", "localhost", "127.0.0.1", ...(options.names ?? [])];
  const { caFile, key, certificate } = await makeCertificates(dir, names);
  const tokens = new Tokens();
  const repositories = new Repositories(join(dir, "repositories"));
  const hub = new Hub(repositories, options.graphql);
  const lfs = new LfsObjects();
  const projectOf = (repository: string) => {
    const [org = "", ...name] = repository.split("/");
    return hub.project(org, name.join("/"));
  };
  const hooks = new Hooks(repositories, projectOf, () => hub.url);
  const [apps, accounts] = [new Apps(tokens), new Accounts()];
  const requests: ServedRequest[] = [];

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    options.onRequest?.();
    response.on("close", () => requests.push(servedRequest(request, response)));
    if (options.intercept?.(request, response)) return;
    const state = {
      ...{ url: hub.url, repositories, tokens, apps, accounts },
      branches: (repository: string) => repositories.branches(repository),
      project: projectOf,
    };
    route({ hub, lfs, state, hooks }, tokens.check(request.headers.authorization), request, response);
  };
  const server = options.plain ? createHttpServer(serve) : createServer({ key, cert: certificate }, serve);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const protocol = options.plain ? "http" : "https";
  const host = port === (options.plain ? 80 : 443) ? "git.localhost" : `git.localhost:${port}`;
  hub.url = `${protocol}://${host}`;

  return {
    url: hub.url,
    host,
    port,
    caFile,
    requests,
    lfs,
    hooks,
    createRepository: (repository) => repositories.create(repository),
    createToken: (token) => tokens.create(token),
    revokeToken: (token) => tokens.revoke(token),
    apps,
    createAccount: (user, password) => accounts.create(user, password),
    moveRepository: (from, to) => repositories.move(from, to),
    tokens,
    head: (org, name, branch) => repositories.head(org, name, branch),
    log: (org, name, branch) => repositories.log(org, name, branch),
    project: (org, name) => hub.project(org, name),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

function servedRequest(request: IncomingMessage, response: ServerResponse): ServedRequest {
  const { method = "", url: path = "", headers } = request;
  return { method, path, status: response.statusCode, user: userNameIn(headers.authorization) };
}

interface Services {
  hub: Hub;
  lfs: LfsObjects;
  state: ApiState;
  hooks: Hooks;
}

function route(
  { hub, lfs, state, hooks }: Services,
  credential: Credential,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url ?? "/", "https://git.localhost");
  const [, repository, service = ""] = LFS_PATH.exec(url.pathname) ?? [];
  if (repository !== undefined) {
    const known = hub.repositories.find(repository);
    const lfsRequest = {
      repository,
      service,
      url: `${hub.url}/${repository}.git/info/lfs`,
      denied: (isUpload: boolean) => deniedStatus(known, repository, credential, isUpload),
    };
    lfs.serve(lfsRequest, request, response).then(
      (status) => status !== null && sendError(response, status as 401 | 403 | 404),
      () => response.destroy(),
    );
  } else if (url.pathname.startsWith("/api/") || isRestPath(url.pathname)) {
    sendApiResponse({ hub, state }, credential, url, request, response).catch(() => response.destroy());
  } else if (request.method === "POST" && APP_FORM.test(url.pathname)) {
    takeManifest(state.apps, url, request, response).catch(() => response.destroy());
  } else {
    routeGit({ hub, hooks }, credential, url, request, response);
  }
}

const APP_FORM = /^(?:\/organizations\/([\w.-]+))?\/settings\/apps\/new$/;

/** Makes an app of a manifest, as if the user had agreed, and sends the browser back with a code. */
async function takeManifest(
  apps: Apps,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const manifest = JSON.parse(new URLSearchParams(await text(request)).get("manifest") ?? "{}");
  const code = apps.submit(manifest, APP_FORM.exec(url.pathname)?.[1] ?? null);
  const query = new URLSearchParams({ code, state: url.searchParams.get("state") ?? "" });
  response.writeHead(302, { location: `${manifest.redirect_url}?${query}` }).end();
}

async function sendApiResponse(
  { hub, state }: Pick<Services, "hub" | "state">,
  credential: Credential,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "", headers: given } = request;
  const sent = await text(request);
  const rest = isRestPath(url.pathname)
    ? await serveRest(state, { method, url, headers: given }, sent)
    : null;
  const {
    status,
    headers,
    body,
    text: plain,
  } = rest ?? (await handleApiRequest(hub, credential, { method, path: url.pathname, body: sent }));
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(plain ?? (status === 204 ? "" : JSON.stringify(body)));
}

const LFS_PATH =
  /^\/([\w.-]+(?:\/[\w.-]+)*\/[\w.-]+?)(?:\.git)?\/info\/lfs\/(objects\/batch|objects\/[0-9a-f]{64}|locks\/verify)$/;

const GIT_PATH =
  /^\/([\w.-]+(?:\/[\w.-]+)*)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

function routeGit(
  { hub: { repositories }, hooks }: Pick<Services, "hub" | "hooks">,
  credential: Credential,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const [, org = "", name = "", service = ""] = GIT_PATH.exec(url.pathname) ?? [];
  const isPush = service === "git-receive-pack" || url.searchParams.get("service") === "git-receive-pack";
  const status = deniedStatus(repositories.find(`${org}/${name}`), `${org}/${name}`, credential, isPush);
  if (status !== null) {
    sendError(response, status);
    return;
  }
  const user = isPush && credential.kind === "valid" ? credential.token.user : null;
  const path = `/${org}/${name}.git/${service}`;
  const serve = () =>
    serveGit({ root: repositories.root, path, query: url.search.slice(1), user }, request, response);
  const repository = `${org}/${name}`;
  if (user === null || service !== "git-receive-pack" || !hooks.has(repository)) {
    serve();
    return;
  }
  repositories.branches(repository).then(
    (before) => {
      response.on("close", () => hooks.pushed(repository, before, user).catch(() => undefined));
      serve();
    },
    () => response.destroy(),
  );
}

/** Returns the status for a denied request; null if it is allowed. */
function deniedStatus(
  repository: { private: boolean } | null,
  name: string,
  credential: Credential,
  isPush: boolean,
): 401 | 403 | 404 | null {
  if (credential.kind === "invalid") return 401;
  if (repository === null) return 404;
  if (credential.kind === "none") return repository.private || isPush ? 401 : null;
  if (repository.private && !credential.token.isAuthorizedFor(name.split("/")[0] ?? "")) return 403;
  const mayRead = !repository.private || credential.token.canAccess(name);
  const mayPush = credential.token.canAccess(name) && credential.token.permissions === "write";
  return (isPush ? mayPush : mayRead) ? null : 403;
}

const ERROR_TEXTS = {
  401: "Authentication failed.",
  403: "Access not granted.",
  404: "Repository not found.",
};

function sendError(response: ServerResponse, status: 401 | 403 | 404): void {
  if (status === 401) response.setHeader("WWW-Authenticate", 'Basic realm="git host"');
  response.writeHead(status, { "content-type": "text/plain" });
  response.end(`${ERROR_TEXTS[status]}\n`);
}
