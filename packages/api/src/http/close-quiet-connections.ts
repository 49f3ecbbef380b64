import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Connection {
  /** Number of requests in progress. */
  requests: number;
  /** Time at which the last response ended, or the connection began. */
  since: number;
  /** Bytes received until then. With more, another request has begun. */
  received: number;
}

/**
 * Makes `server.closeIdleConnections`, which Node and Fastify also call themselves, close only connections
 * without a request for `quietMs` milliseconds. A busy connection may have its next request on the way; that
 * gets a response with `Connection: close`, and the client reconnects. If the connection were closed earlier,
 * the client could not know whether the request was carried out.
 */
export function closeOnlyQuietConnections(
  server: Server,
  { isTls, quietMs }: { isTls: boolean; quietMs: number },
): void {
  const connections = new Map<Socket, Connection>();
  server.on(isTls ? "secureConnection" : "connection", (socket: Socket) => {
    connections.set(socket, { requests: 0, since: performance.now(), received: 0 });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once("close", () => {
      connection.requests -= 1;
      connection.since = performance.now();
      connection.received = socket.bytesRead;
    });
  });
  server.closeIdleConnections = () => {
    const quiet = performance.now() - quietMs;
    for (const [socket, { requests, since, received }] of connections)
      if (requests === 0 && since <= quiet && socket.bytesRead === received) socket.destroy();
  };
}
