import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface BareServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts the peer of the HTTP figures: `node:http` alone, which parses the JSON of a POST and responds with
 * `JSON.stringify` of a fixed object. It has no routes, tokens, checks or store.
 */
export async function startBareServer(body: unknown): Promise<BareServer> {
  const server = createServer(async (request, response) => {
    if (request.method === "POST") {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      JSON.parse(Buffer.concat(chunks).toString());
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
