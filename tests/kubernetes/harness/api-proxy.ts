import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { request } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The fate of a call. With `held`, the API server never sees it; with `unanswered`, the server handles it,
 * but its response is lost.
 */
export type Fate = "passed" | "held" | "unanswered";

/** A proxy between a process and the API server of a cluster. */
export class ApiProxy {
  /** The kubeconfig for the process whose calls go through the proxy. */
  readonly kubeconfig: string;
  /** Decides about each call. */
  fateOf: (method: string, path: string) => Fate = () => "passed";
  readonly #server: Server;
  readonly #target: string;
  readonly #directory: string;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, kubeconfig: string) {
    const text = readFileSync(kubeconfig, "utf8");
    this.#server = server;
    this.#target = /server: "?(https:\/\/[^"\s,}]+)/.exec(text)?.[1] ?? "";
    this.#directory = mkdtempSync(join(tmpdir(), "berth-proxy-"));
    this.kubeconfig = join(this.#directory, "kubeconfig");
    const { port } = server.address() as AddressInfo;
    writeFileSync(this.kubeconfig, text.replace(this.#target, `http://127.0.0.1:${port}`), { mode: 0o600 });
  }

  static async start(kubeconfig: string): Promise<ApiProxy> {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const proxy = new ApiProxy(server, kubeconfig);
    server.on("connection", (socket) => proxy.#keep(socket));
    server.on("request", (asked, response) => proxy.#pass(asked, response));
    server.on("upgrade", (asked, socket: Socket) => proxy.#upgrade(asked, socket));
    return proxy;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    rmSync(this.#directory, { recursive: true });
  }

  #pass(asked: IncomingMessage, response: ServerResponse): void {
    const { fate, forwarded } = this.#forward(asked);
    if (forwarded === null) return;
    forwarded.on("response", (answer) => {
      if (fate === "unanswered") return void answer.resume();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on("close", () => forwarded.destroy());
    asked.pipe(forwarded);
  }

  #upgrade(asked: IncomingMessage, socket: Socket): void {
    const { fate, forwarded } = this.#forward(asked);
    if (forwarded === null) return;
    forwarded.on("upgrade", ({ rawHeaders }, upstream: Socket, head) => {
      this.#keep(upstream);
      if (fate === "unanswered") return;
      const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
      socket.write(head);
      socket.pipe(upstream).pipe(socket);
      socket.on("close", () => upstream.destroy());
      upstream.on("close", () => socket.destroy());
    });
    forwarded.on("response", (answer) => {
      socket.end(`HTTP/1.1 ${answer.statusCode} Refused\r\ncontent-length: 0\r\n\r\n`);
      answer.resume();
    });
    forwarded.end();
  }

  #forward({ method = "", url = "", headers }: IncomingMessage) {
    const fate = this.fateOf(method, url);
    if (fate === "held") return { fate, forwarded: null };
    const forwarded = request(`${this.#target}${url}`, { method, headers, rejectUnauthorized: false });
    return { fate, forwarded: forwarded.on("error", () => {}) };
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket.on("error", () => {}).on("close", () => this.#sockets.delete(socket)));
  }
}
