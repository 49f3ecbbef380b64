import type { Socket } from "node:net";
import type { EgressDenied } from "../policy/denial-log.ts";
import type { Client } from "../protocols/client.ts";
import { readHead } from "../protocols/read-head.ts";
import type { ConnectionPolicy, EgressContext } from "../relay/connection-policy.ts";
import { dial } from "../relay/dial.ts";
import { forward, notAllowed, reset, takeHead } from "../relay/forward.ts";
import { type Identified, identify, type OriginalDestination } from "../relay/identify.ts";
import { answerAsService } from "../relay/sandbox-service.ts";
import { type ProxyRequest, readProxyRequest } from "./proxy-request.ts";

type HostRequest = Extract<ProxyRequest, { kind: "tunnel" | "forward" }>;

/**
 * Serves an HTTP proxy for programs that use one. It reaches exactly what direct connections reach. Before a
 * tunnel is established, a denial is a response with one sentence; inside the tunnel, it is a reset.
 */
export async function serveProxy(
  client: Client,
  original: OriginalDestination,
  policy: ConnectionPolicy,
  context: EgressContext,
): Promise<void> {
  const request = await readHead<ProxyRequest>(client, readProxyRequest, context.headLimits);
  if (request === null || request.kind === "more") return reset(client);
  if (request.kind === "direct") {
    return forward(client, await identify(client, original, context.headLimits), policy, context);
  }
  if (request.kind === "forward" && (await answerAsService(client, asHost(request), policy, context))) return;
  const denied = request.kind === "denied" ? request.denied : notAllowed(request, policy);
  if (request.kind === "denied" || denied !== null) {
    if (denied !== null) policy.deny(denied);
    return respond(client, "403 Forbidden", denialMessage(denied, context));
  }
  const { name, port } = request;
  policy.admitted(client, name, port);
  const dialled = await dial(name, port, policy, context);
  if (dialled.kind === "connected") return serveRequest(client, request, dialled.socket, policy, context);
  const status = dialled.kind === "blocked" ? "403 Forbidden" : "502 Bad Gateway";
  respond(client, status, FAILURE_MESSAGES[dialled.kind](`${name}:${port}`));
}

/** Forwards the one request, or opens the tunnel, over an existing connection to its host. */
async function serveRequest(
  client: Client,
  { kind, name, port, head }: HostRequest,
  upstream: Socket,
  policy: ConnectionPolicy,
  context: EgressContext,
): Promise<void> {
  const connected = takeOnce(client, upstream);
  if (kind === "forward") {
    return forward(client, asHost({ name, port, head }), policy, context, connected);
  }
  takeHead(client, head);
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  // The content of a tunnel must be for the host that the tunnel was opened to, as for any other connection.
  const inner = await identify(client, { name, address: name, port }, context.headLimits);
  if (inner.kind !== "host") upstream.destroy();
  await forward(client, inner, policy, context, connected);
}

function asHost({ name, port, head }: Pick<HostRequest, "name" | "port" | "head">): Identified {
  return { kind: "host", name, port, protocol: "http", head };
}

/** Returns the connection once, then null. A connection that was never taken ends with the client. */
function takeOnce(client: Client, upstream: Socket): () => Promise<Socket | null> {
  let waiting: Socket | null = upstream;
  client.once("close", () => waiting?.destroy());
  return async () => {
    const taken = waiting;
    waiting = null;
    return taken;
  };
}

function denialMessage(denied: EgressDenied | null, { deniedMessage }: EgressContext): string {
  if (denied === null || denied.reason !== "not_allowed") return "A proxy cannot forward this request.";
  return deniedMessage(denied.port === null ? denied.host : `${denied.host}:${denied.port}`);
}

const FAILURE_MESSAGES = {
  blocked: (destination: string) => `The address of ${destination} is not allowed.`,
  unresolvable: (destination: string) => `The name of ${destination} does not resolve.`,
  unreachable: (destination: string) => `${destination} does not accept connections.`,
};

function respond(client: Client, status: string, text: string): void {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text) + 1}`;
  client.resume();
  client.end(`${head}\r\nConnection: close\r\n\r\n${text}\n`, () => client.destroy());
}
