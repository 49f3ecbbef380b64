import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Berth } from "../src/client.ts";
import type { ClientOptions } from "../src/transport/options.ts";

/** A received request. */
export interface Received {
  method: string;
  /** Decoded path, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Handler = (request: Received, response: ServerResponse, index: number) => void | Promise<void>;

/** Starts an HTTP server on loopback that calls the test's handler. It is closed at the end of the test. */
export async function startWire(t: TestContext, handler: Handler) {
  const received: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const url = new URL(incoming.url ?? "/", "http://wire");
    const path = decodeURIComponent(url.pathname);
    const request = {
      method: incoming.method ?? "",
      path,
      query: url.searchParams,
      headers: incoming.headers,
      body,
    };
    received.push(request);
    await handler(request, response, received.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received, server, port };
}

export function respond(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, {
    "content-type": "application/json",
    "x-request-id": "req_of_header",
    ...headers,
  });
  response.end(JSON.stringify(body));
}

export function respondWithError(
  response: ServerResponse,
  status: number,
  error: Record<string, unknown>,
  headers: Record<string, string> = {},
) {
  respond(response, status, { type: "error", request_id: "req_1", error }, headers);
}

/** A client that does not really wait. `waits` records the delays in milliseconds. */
export function clientOf(url: string, options: Partial<ClientOptions> = {}) {
  const waits: number[] = [];
  const sleep = async (milliseconds: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    waits.push(milliseconds);
  };
  return { client: new Berth({ baseURL: url, token: "berth_pat_test", sleep, ...options }), waits };
}

/** A loopback URL on which nothing listens. */
export async function deadURL(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
