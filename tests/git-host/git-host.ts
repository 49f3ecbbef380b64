import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { answerApi } from "./api.ts";
import { makeCertificates } from "./certificates.ts";
import { serveGit } from "./git-backend.ts";
import { Hub } from "./github/hub.ts";
import type { Project } from "./github/projects.ts";
import { type Commit, Repositories, type RepositoryOptions } from "./repositories.ts";
import { type Credential, type TokenOptions, Tokens, userNameIn } from "./tokens.ts";

export interface GitHostOptions {
  /** An empty or missing directory that this host may fill; the caller removes it. */
  dir: string;
  /** Default: a free one. */
  port?: number;
  /** Further host names in the certificate. */
  names?: readonly string[];
  /** Plain http; the authority then signs for nobody. */
  plain?: true;
  /** Called when a request comes in, while the client that sent it waits. */
  onRequest?: () => void;
  /** Asked at each request before anything is answered; true when it answers this one itself. */
  takes?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** A line of what was asked, for assertions. It never holds a token. */
export interface ServedRequest {
  /** User name of the Basic credential, whether or not its token holds; null without one. */
  user: string | null;
  method: string;
  path: string;
  status: number;
}

export interface GitHost {
  /** `https://git.localhost:PORT`, without a port where it is 443; a repository is at `<url>/<org>/<name>`, where `org` may have several segments. */
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
  /** Commit at the end of a branch; null when there is none. */
  head(org: string, name: string, branch: string): Promise<string | null>;
  log(org: string, name: string, branch: string): Promise<Commit[]>;
  /** Issues and pull requests, as its API shows them by GitHub's schema. */
  project(org: string, name: string): Project;
  stop(): Promise<void>;
}

/**
 * Starts a git server over https on loopback, with its own authority, private repositories and tokens.
 *
 * Its name is `git.localhost`: names below `localhost` are loopback by RFC 6761, git (through curl) resolves them so by
 * itself, and so does the egress of a sandbox, so one url works on the host and inside without any resolver.
 *
 * It answers as hosting providers do: 401 for a private repository without a token and for any token that is wrong,
 * expired or revoked; 403 where a good token does not reach; 404 for a repository that is not there.
 */
export async function startGitHost(options: GitHostOptions): Promise<GitHost> {
  await mkdir(options.dir, { recursive: true });
  const names = ["git.localhost", "localhost", "127.0.0.1", ...(options.names ?? [])];
  const { caFile, key, certificate } = await makeCertificates(options.dir, names);
  const tokens = new Tokens();
  const repositories = new Repositories(join(options.dir, "repositories"));
  const hub = new Hub(repositories);
  const requests: ServedRequest[] = [];

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    options.onRequest?.();
    response.on("close", () => requests.push(servedRequest(request, response)));
    if (options.takes?.(request, response)) return;
    route(hub, tokens.check(request.headers.authorization), request, response);
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
    createRepository: (repository) => repositories.create(repository),
    createToken: (token) => tokens.create(token),
    revokeToken: (token) => tokens.revoke(token),
    head: (org, name, branch) => repositories.head(org, name, branch),
    log: (org, name, branch) => repositories.log(org, name, branch),
    project: (org, name) => hub.project(org, name),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function servedRequest(request: IncomingMessage, response: ServerResponse): ServedRequest {
  const { method = "", url: path = "", headers } = request;
  return { method, path, status: response.statusCode, user: userNameIn(headers.authorization) };
}

function route(hub: Hub, credential: Credential, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "https://git.localhost");
  if (url.pathname.startsWith("/api/")) {
    sendApiAnswer(hub, credential, url.pathname, request, response).catch(() => response.destroy());
  } else {
    routeGit(hub.repositories, credential, url, request, response);
  }
}

async function sendApiAnswer(
  hub: Hub,
  credential: Credential,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "" } = request;
  const { status, headers, body } = await answerApi(hub, credential, {
    method,
    path,
    body: await text(request),
  });
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

const gitPath =
  /^\/([\w.-]+(?:\/[\w.-]+)*)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

function routeGit(
  repositories: Repositories,
  credential: Credential,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const [, org = "", name = "", service = ""] = gitPath.exec(url.pathname) ?? [];
  const isPush = service === "git-receive-pack" || url.searchParams.get("service") === "git-receive-pack";
  const refusal = refuse(repositories.find(`${org}/${name}`), `${org}/${name}`, credential, isPush);
  if (refusal !== null) {
    sendRefusal(response, refusal);
    return;
  }
  const user = isPush && credential.kind === "good" ? credential.token.user : null;
  const path = `/${org}/${name}.git/${service}`;
  serveGit({ root: repositories.root, path, query: url.search.slice(1), user }, request, response);
}

function refuse(
  repository: { private: boolean } | null,
  name: string,
  credential: Credential,
  isPush: boolean,
): 401 | 403 | 404 | null {
  if (credential.kind === "bad") return 401;
  if (repository === null) return 404;
  if (credential.kind === "none") return repository.private || isPush ? 401 : null;
  if (repository.private && !credential.token.isAuthorizedFor(name.split("/")[0] ?? "")) return 403;
  const mayRead = !repository.private || credential.token.mayOpen(name);
  const mayPush = credential.token.mayOpen(name) && credential.token.permissions === "write";
  return (isPush ? mayPush : mayRead) ? null : 403;
}

const refusalTexts = {
  401: "Authentication failed.",
  403: "Access not granted.",
  404: "Repository not found.",
};

function sendRefusal(response: ServerResponse, status: 401 | 403 | 404): void {
  if (status === 401) response.setHeader("WWW-Authenticate", 'Basic realm="git host"');
  response.writeHead(status, { "content-type": "text/plain" });
  response.end(`${refusalTexts[status]}\n`);
}
