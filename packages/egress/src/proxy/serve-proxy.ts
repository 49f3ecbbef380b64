import type { Socket } from "node:net";
import { identify, type Place } from "../relay/identify.ts";
import { passOn, reach, refuse, takeHead } from "../relay/forward.ts";
import { type ProxyRequest, readProxyRequest } from "./proxy-request.ts";
import { readHead } from "../protocols/read-head.ts";
import type { Gate, Surroundings } from "../relay/connection-policy.ts";
import type { EgressDenied } from "../policy/types.ts";

/** Where programs that are told to use a proxy find one, at every loopback address. */
export const proxyPort = 3128;

/**
 * The proxy of a namespace, for programs that want one: they are told no more, and reach no more, than those that connect by
 * themselves. What is refused before the tunnel stands is answered by a sentence, what is refused in it by a reset.
 */
export async function serveProxy(
  client: Socket,
  place: Place,
  gate: Gate,
  surroundings: Surroundings,
): Promise<void> {
  const asked = await readHead<ProxyRequest>(client, readProxyRequest, surroundings.headLimits);
  if (asked === null || asked.kind === "more") return refuse(client);
  if (asked.kind === "direct") {
    return passOn(client, await identify(client, place, surroundings.headLimits), gate, surroundings);
  }
  const denied = asked.kind === "refused" ? asked : notAllowed(asked, gate);
  if (denied !== null) gate.deny({ host: denied.host, port: denied.port, reason: denied.reason });
  if (denied !== null || asked.kind === "refused") return answer(client, "403 Forbidden", sentence(denied));
  const { name, port, head } = asked;
  gate.admitted(client, name, port);
  const reached = await reach(name, port, gate, surroundings);
  if (reached.kind !== "connected") {
    const isRefused = reached.kind === "refused";
    return answer(
      client,
      isRefused ? "403 Forbidden" : "502 Bad Gateway",
      why[reached.kind](`${name}:${port}`),
    );
  }
  const connected = handOver(client, reached.socket);
  if (asked.kind === "forward") {
    return passOn(
      client,
      { kind: "host", name, port, protocol: "http", head },
      gate,
      surroundings,
      connected,
    );
  }
  takeHead(client, head);
  client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  // What comes through a tunnel has to be for the host that it was opened to, like everything else.
  const inner = await identify(client, { name, address: name, port }, surroundings.headLimits);
  if (inner.kind !== "host") reached.socket.destroy();
  await passOn(client, inner, gate, surroundings, connected);
}

/** A connection that is given once, and ends with the client where nobody asked for it. */
function handOver(client: Socket, standing: Socket): () => Promise<Socket | null> {
  let waiting: Socket | null = standing;
  client.once("close", () => waiting?.destroy());
  return async () => {
    const given = waiting;
    waiting = null;
    return given;
  };
}

function notAllowed(
  { name, port }: { name: Place["name"] & string; port: number },
  gate: Gate,
): EgressDenied | null {
  return gate.allows(name, port) ? null : { host: name, port, reason: "not_allowed" };
}

function sentence(denied: EgressDenied | null): string {
  if (denied === null || denied.reason !== "not_allowed")
    return "The request is not one that a proxy can send on.";
  const where = denied.port === null ? denied.host : `${denied.host}:${denied.port}`;
  return `The networking of this session does not allow ${where}.`;
}

const why = {
  refused: (where: string) => `The address of ${where} is not one that may be reached.`,
  unresolvable: (where: string) => `The name of ${where} does not resolve.`,
  unreachable: (where: string) => `${where} does not accept connections.`,
};

function answer(client: Socket, status: string, text: string): void {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text) + 1}`;
  client.resume();
  client.end(`${head}\r\nConnection: close\r\n\r\n${text}\n`, () => client.destroy());
}
