import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A Chat Completions server on loopback. It responds "Fine." unless it rejects the request or responds with a
 * tool call.
 */
export interface ModelServer {
  baseUrl: string;
  /** The bodies of the requests so far. */
  bodies: string[];
  /**
   * Returns the status, message and retry delay in seconds with which to reject a request; null to respond
   * normally.
   */
  reject: (body: string) => { status: number; message: string; retryAfter?: number } | null;
  /** The tool calls of the next responses, one each. */
  calls: { name: string; input: unknown }[];
  close(): Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  const server = createServer((request, response) => void answer(own, request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const own: ModelServer = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    bodies: [],
    reject: () => null,
    calls: [],
    close: () => close(server),
  };
  return own;
}

async function answer(own: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  own.bodies.push(body);
  const rejection = own.reject(body);
  if (rejection !== null) {
    const { status, retryAfter } = rejection;
    const wait = retryAfter === undefined ? {} : { "retry-after": `${retryAfter}` };
    response.writeHead(status, { "content-type": "application/json", ...wait });
    response.end(JSON.stringify({ error: { message: rejection.message, type: "invalid_request_error" } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish_reason: string | null) =>
    response.write(
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  const call = own.calls.shift();
  if (call === undefined) send({ role: "assistant", content: "Fine." }, null);
  else send({ role: "assistant", tool_calls: [toolCall(call, own.bodies.length)] }, null);
  send({}, call === undefined ? "stop" : "tool_calls");
  response.end("data: [DONE]\n\n");
}

function toolCall({ name, input }: ModelServer["calls"][number], number: number) {
  const call = { name, arguments: JSON.stringify(input) };
  return { index: 0, id: `call_${number}`, type: "function", function: call };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
