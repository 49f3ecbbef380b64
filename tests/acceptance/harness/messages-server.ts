import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A server of Anthropic's Messages API on loopback. It responds "Fine.", or "A summary." to a summary
 * request, and reports that its cache served `cached` tokens.
 */
export interface MessagesServer {
  baseUrl: string;
  /** The bodies of the requests so far. */
  bodies: string[];
  /** Called for a summary request before its response; does nothing by default. */
  beforeSummary: () => Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the server.
 *
 * @param cached tokens that each response reports as read from the cache.
 */
export async function startMessagesServer(cached: number): Promise<MessagesServer> {
  const bodies: string[] = [];
  const own = { baseUrl: "", bodies, beforeSummary: async () => {}, close: () => close(server) };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    bodies.push(body);
    const isSummary = isSummaryRequest(body);
    if (isSummary) await own.beforeSummary();
    answer(response, isSummary ? "A summary." : "Fine.", { cached, isHour: body.includes('"ttl":"1h"') });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  own.baseUrl = `http://127.0.0.1:${port}/v1`;
  return own;
}

/** Whether a request asks for a summary, by a heading that only its instructions contain. */
export function isSummaryRequest(body: string): boolean {
  return body.includes("## Task");
}

function answer(
  response: ServerResponse,
  text: string,
  { cached, isHour }: { cached: number; isHour: boolean },
): void {
  const usage = {
    input_tokens: 10,
    output_tokens: 1,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 500,
    cache_creation: {
      ephemeral_5m_input_tokens: isHour ? 0 : 500,
      ephemeral_1h_input_tokens: isHour ? 500 : 0,
    },
  };
  const events = [
    {
      type: "message_start",
      message: {
        ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
        ...{ stop_reason: null, stop_sequence: null, usage },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
