import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

/** Hosts whose requests are not for the service itself. */
export interface OtherHosts {
  /** Returns whether a request is for one of them. */
  claims(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Serves a request that changes the protocol of its connection, such as to that of a web socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Returns options by which requests for the service itself change no protocol. */
export function upgradeOptions(others: OtherHosts | undefined): ServerOptions {
  if (others === undefined) return {};
  const shouldUpgradeCallback = (request: IncomingMessage) =>
    others.claims(request) && request.headers.upgrade?.toLowerCase() === "websocket";
  return { shouldUpgradeCallback } as ServerOptions;
}

/**
 * Separates requests for other hosts from all others, before any route, hook or log of the service sees them.
 * Call it before other listeners are added.
 */
export function divertHosts(server: Server, others: OtherHosts): void {
  const own = server.listeners("request");
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (others.claims(request)) others.serve(request, response);
    else for (const listener of own) listener.call(server, request, response);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    others.upgrade(request, socket, head),
  );
}
