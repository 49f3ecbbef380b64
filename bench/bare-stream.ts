import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The program of the peer with many readers: `node:http`, which writes the events of each POST to every open
 * response. It has no store, tokens, checks or positions. It reports its port to its parent.
 */
if (process.send !== undefined) {
  const readers = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      readers.add(response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { events } = JSON.parse(Buffer.concat(chunks).toString()) as { events: object[] };
    for (const event of events) {
      const frame = `id: evt_01kafaaaaaaaaaaaaaaaaaaaaa\nevent: system.message\ndata: ${JSON.stringify(event)}\n\n`;
      for (const reader of readers) reader.write(frame);
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.once("disconnect", () => process.exit());
}
