import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A server's response, byte for byte. */
export interface RawAnswer {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body: string | object;
}

/** A server on loopback that sends queued responses in order, to any request, and records requests. */
export interface RawServer {
  /** The base URL with the version, as a provider's `base_url`. */
  baseUrl: string;
  requests: { path: string; body: Record<string, unknown> }[];
  answer(...answers: RawAnswer[]): void;
  close(): Promise<void>;
}

export async function startRawServer(): Promise<RawServer> {
  const queue: RawAnswer[] = [];
  const requests: RawServer["requests"] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? "", body: await jsonOf(request) });
    const {
      status = 200,
      headers = {},
      body,
    } = queue.shift() ?? { status: 500, body: "no answer is queued" };
    const stream = status === 200 && typeof body === "string";
    response.writeHead(status, {
      "content-type": stream ? "text/event-stream" : "application/json",
      ...headers,
    });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  // By default idle connections end after five seconds, and a client that is delayed that long may just reuse
  // one.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer: (...answers) => void queue.push(...answers),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function jsonOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || "{}") as Record<string, unknown>;
}

/** Returns the body of a stream of these events; a string is sent unchanged. */
export function events(...data: (object | string)[]): string {
  return data
    .map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
    .join("");
}

/** Returns the body of a Messages stream. */
export function messages(...given: (Record<string, unknown> & { type: string })[]): string {
  return given.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
