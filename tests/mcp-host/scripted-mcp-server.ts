import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface McpRequest {
  method: string;
  params?: { name?: string; arguments?: unknown; cursor?: string; uri?: string };
}

export interface ScriptedMcpServer {
  url: string;
  /** The received requests, in order. */
  received: McpRequest[];
  /** Returns the result of a request; undefined for an unknown method. May be replaced. */
  respond(request: McpRequest): object | undefined;
  /** Sends a notification on each open event stream of a client, or on the next one to open. */
  notify(method: string): Promise<void>;
  stop(): void;
}

/** Starts an MCP server with scripted results, for schemas, lists and results that no real server has. */
export async function startScriptedMcpServer(
  respond: ScriptedMcpServer["respond"],
  initialized: { capabilities?: object; instructions?: string } = {},
): Promise<ScriptedMcpServer> {
  const news = new EventEmitter();
  const streams = new Set<(text: string) => void>();
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.method === "GET") {
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      const write = (line: string) => void outgoing.write(line);
      streams.add(write);
      news.emit("stream");
      outgoing.on("close", () => streams.delete(write));
      return;
    }
    const body = await text(incoming);
    const request = body === "" ? undefined : (JSON.parse(body) as McpRequest & { id?: number });
    if (request?.id === undefined) return void outgoing.writeHead(202).end();
    scripted.received.push(request);
    const serverInfo = { name: "scripted", version: "1" };
    const first = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo, ...initialized };
    const result = request.method === "initialize" ? first : scripted.respond(request);
    const answer =
      result === undefined ? { error: { code: -32_601, message: "Method not found" } } : { result };
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const scripted: ScriptedMcpServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    received: [],
    respond,
    async notify(method) {
      if (streams.size === 0) await once(news, "stream");
      for (const write of streams) write(`data: ${JSON.stringify({ jsonrpc: "2.0", method })}\n\n`);
    },
    stop: () => server.close().closeAllConnections(),
  };
  return scripted;
}
