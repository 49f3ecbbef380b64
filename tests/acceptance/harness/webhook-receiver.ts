import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { waitUntil } from "./wait-until.ts";

/** A request that a receiver got. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookReceiver {
  /** `http://127.0.0.1:PORT`. */
  url: string;
  /** All requests, in the order in which they came. */
  received: Received[];
  /** Resolves with the first request that matches, once it is there. */
  first(matches: (request: Received) => boolean): Promise<Received>;
  close(): Promise<void>;
}

/** Starts a receiver on loopback. @param answer by default 204. */
export async function startWebhookReceiver(
  answer: (response: ServerResponse, request: Received) => void = (response) => response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = request.headers as Record<string, string>;
    const got = { path: request.url ?? "", headers, body: Buffer.concat(chunks).toString() };
    received.push(got);
    answer(response, got);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async first(matches) {
      await waitUntil(
        () => received.some(matches),
        () => `no such request among ${JSON.stringify(received)}`,
      );
      return received.find(matches) as Received;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
