import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../acceptance/harness/free-port.ts";

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
  /** What came, as `POST <method of the protocol>` or `DELETE`, when it came. */
  asked: string[];
  /** What came, as `METHOD status`, when it was answered. */
  seen: string[];
  /** Answers in place of the server where it is set and returns true. */
  instead: ((request: IncomingMessage, answer: ServerResponse) => boolean) | null;
  /** Resolves as soon as what came, or was answered, is enough. */
  until(enough: () => boolean): Promise<void>;
  stop(): void;
}

/** Lets through to an MCP server what carries the token, and answers 401 to everything else. */
export async function startBearerProxy(target: number, token: string): Promise<BearerProxy> {
  const server = createServer((given, answer) => {
    noteMethod(given, note(proxy.asked));
    answer.on("close", () => note(proxy.seen)(`${given.method} ${answer.statusCode}`));
    if (given.headers.authorization !== `Bearer ${proxy.token}`) {
      answer.writeHead(401, { "www-authenticate": "Bearer" }).end(`not ${given.headers.authorization}`);
    } else if (proxy.instead?.(given, answer) !== true) pass(target, given, answer);
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
    asked: [],
    seen: [],
    instead: null,
    async until(enough) {
      while (!enough()) await once(news, "note");
    },
    stop: () => server.close().closeAllConnections(),
  };
  return proxy;
}

function noteMethod(given: IncomingMessage, note: (text: string) => void): void {
  if (given.method !== "POST") {
    note(given.method ?? "");
    return;
  }
  const chunks: Buffer[] = [];
  given.on("data", (chunk: Buffer) => chunks.push(chunk));
  given.on("end", () => note(`POST ${JSON.parse(Buffer.concat(chunks).toString()).method}`));
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

async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
