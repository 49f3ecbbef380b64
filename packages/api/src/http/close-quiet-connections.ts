import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Connection {
  /** Requests in progress. */
  requests: number;
  /** When the last response ended, or the connection began. */
  since: number;
  /** What had been received then: with more, a request has begun. */
  received: number;
}

/**
 * Makes `server.closeIdleConnections`, which Node and Fastify also call themselves, close only connections on which a client has asked
 * nothing for `quietMs`. One that asks all the time may have its next request on the way; it gets the response to that with
 * `Connection: close`, and asks elsewhere. Closed before, it could not know whether its request was carried out.
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
