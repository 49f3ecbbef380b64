import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { AnyJson } from "./api.ts";

/**
 * A Chat Completions provider on loopback that responds "Done." to every request and records the requests.
 */
export interface ChatEndpoint {
  /** `http://ADDRESS:PORT/v1` */
  url: string;
  /** The bodies of the requests, oldest first. */
  requests: AnyJson[];
  /** Responds to a request. A test may replace it; `respondDone` by default. */
  respond(request: AnyJson, response: ServerResponse): void;
  close(): Promise<void>;
}

/** Starts the endpoint. @param address a loopback address. */
export async function startChatEndpoint(address = "127.0.0.1"): Promise<ChatEndpoint> {
  const requests: AnyJson[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as AnyJson;
    requests.push(body);
    endpoint.respond(body, response);
  });
  server.listen(0, address);
  await once(server, "listening");
  const endpoint: ChatEndpoint = {
    respond: (_, response) => respondDone(response),
    url: `http://${address}:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return endpoint;
}

/** Responds to a request for a streamed chat completion: the model says "Done." and stops. */
export function respondDone(response: ServerResponse): void {
  response.setHeader("content-type", "text/event-stream");
  const frames = [{ delta: { role: "assistant", content: "Done." } }, { delta: {}, finish_reason: "stop" }];
  for (const frame of frames) {
    const choices = [{ index: 0, finish_reason: null, ...frame }];
    const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}
