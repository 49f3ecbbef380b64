import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The reference server of the protocol, over streamable HTTP, in a process of its own; on a free port without one. */
export async function startEverything(port?: number): Promise<EverythingServer> {
  const program = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
  const chosen = port ?? (await freePort());
  const child = spawn(process.execPath, [program, "streamableHttp"], {
    env: { PATH: process.env.PATH, PORT: `${chosen}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.includes("listening on port")) continue;
    child.stderr.resume();
    return { port: chosen, stop };
  }
  await stop();
  throw new Error("The server ended before it listened.");
}

export interface EverythingServer {
  port: number;
  stop(): Promise<void>;
}

export interface BearerProxy {
  /** Of the server behind it. */
  url: string;
  /** The token that is let through. */
  token: string;
  /** What came, as `METHOD status`. */
  seen: string[];
  /** Answers in place of the server where it is set and returns true. */
  instead: ((request: IncomingMessage, answer: ServerResponse) => boolean) | null;
  /** Connections that are open. */
  open(): Promise<number>;
  stop(): void;
}

/** Lets through to an MCP server what carries the token, and answers 401 to everything else. */
export async function startBearerProxy(target: number, token: string): Promise<BearerProxy> {
  const server = createServer((given, answer) => {
    answer.on("close", () => proxy.seen.push(`${given.method} ${answer.statusCode}`));
    if (given.headers.authorization !== `Bearer ${proxy.token}`) {
      answer.writeHead(401, { "www-authenticate": "Bearer" }).end(`not ${given.headers.authorization}`);
    } else if (proxy.instead?.(given, answer) !== true) pass(target, given, answer);
  });
  await listen(server);
  const proxy: BearerProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    token,
    seen: [],
    instead: null,
    open: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    stop: () => server.close().closeAllConnections(),
  };
  return proxy;
}

function pass(port: number, given: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = given;
  const onward = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  onward.on("error", () => answer.destroy());
  answer.on("close", () => onward.destroy());
  given.pipe(onward);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await listen(server);
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
