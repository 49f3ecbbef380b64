import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";

export interface GitRequest {
  /** The directory of the bare repositories. */
  root: string;
  /** The path `/<org>/<name>.git/<service path>`. */
  path: string;
  query: string;
  /** The user if the request may push; else null. */
  user: string | null;
}

/**
 * Serves one git request with `git http-backend` and streams both bodies. The program is killed when the
 * client disconnects.
 */
export function serveGit(git: GitRequest, request: IncomingMessage, response: ServerResponse): void {
  const backend = spawn("git", ["http-backend"], {
    env: environmentOf(git, request),
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(backend.stdin);
  backend.stdin.on("error", () => request.unpipe());
  backend.on("error", () => response.destroy());
  response.on("close", () => backend.kill());
  sendCgiResponse(backend.stdout, response);
}

function environmentOf(git: GitRequest, request: IncomingMessage): NodeJS.ProcessEnv {
  const header = (name: string): string | undefined => request.headers[name]?.toString();
  return {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_PROJECT_ROOT: git.root,
    GIT_HTTP_EXPORT_ALL: "1",
    REQUEST_METHOD: request.method,
    PATH_INFO: git.path,
    QUERY_STRING: git.query,
    CONTENT_TYPE: header("content-type") ?? "",
    CONTENT_LENGTH: header("content-length"),
    HTTP_CONTENT_ENCODING: header("content-encoding"),
    GIT_PROTOCOL: header("git-protocol"),
    REMOTE_ADDR: "127.0.0.1",
    REMOTE_USER: git.user ?? undefined,
  };
}

function sendCgiResponse(output: NodeJS.ReadableStream, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    output.off("data", onData);
    writeHead(head.subarray(0, end).toString("latin1"), response);
    response.write(head.subarray(end + 4));
    output.pipe(response);
  };
  output.on("data", onData);
  output.on("end", () => {
    if (!response.headersSent) response.writeHead(500).end();
  });
}

function writeHead(head: string, response: ServerResponse): void {
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
}
