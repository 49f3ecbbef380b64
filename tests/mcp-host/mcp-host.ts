import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../acceptance/harness/free-port.ts";

/**
 * Starts the protocol's reference server, over streamable HTTP, in its own process. Uses a free port by
 * default.
 */
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
  throw new Error("The MCP server ended before it listened.");
}

export interface EverythingServer {
  port: number;
  stop(): Promise<void>;
}

/** A proxy in front of an MCP server that requires a token. */
export interface BearerProxy {
  /** The URL at which clients reach the server through this proxy. */
  url: string;
  /** The token that the proxy accepts. */
  token: string;
  /** Requests as they arrive: `POST <method of the protocol>` or `DELETE`. */
  received: string[];
  /** Requests as they complete: `METHOD status`. */
  completed: string[];
  /**
   * If set, called for each authorized request; returns true if it sends the response instead of the server.
   */
  override: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  /** Resolves as soon as the condition holds for the received or completed requests. */
  until(condition: () => boolean): Promise<void>;
  stop(): void;
}

/** Forwards requests with the token to an MCP server, and responds with 401 to all others. */
export async function startBearerProxy(target: number, token: string): Promise<BearerProxy> {
  const server = createServer((incoming, response) => {
    noteMethod(incoming, note(proxy.received));
    response.on("close", () => note(proxy.completed)(`${incoming.method} ${response.statusCode}`));
    if (incoming.headers.authorization !== `Bearer ${proxy.token}`) {
      response.writeHead(401, { "www-authenticate": "Bearer" }).end(`not ${incoming.headers.authorization}`);
    } else if (proxy.override?.(incoming, response) !== true) forward(target, incoming, response);
  });
  await listen(server);
  const news = new EventEmitter();
  const note = (list: string[]) => (text: string) => {
    list.push(text);
    news.emit("note");
  };
  const proxy: BearerProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    token,
    received: [],
    completed: [],
    override: null,
    async until(condition) {
      while (!condition()) await once(news, "note");
    },
    stop: () => server.close().closeAllConnections(),
  };
  return proxy;
}

function noteMethod(incoming: IncomingMessage, note: (text: string) => void): void {
  if (incoming.method !== "POST") {
    note(incoming.method ?? "");
    return;
  }
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => note(`POST ${JSON.parse(Buffer.concat(chunks).toString()).method}`));
}

function forward(port: number, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming;
  const outgoing = request({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
