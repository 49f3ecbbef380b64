import { type ClientRequest, type IncomingMessage, request as send } from "node:http";
import type { Socket } from "node:net";
import { parseAskedHostPort } from "../names/host-name.ts";
import { authorityOf, pathOf } from "../protocols/http-request.ts";
import type { SandboxCredential } from "../policy/types.ts";
import { bodyFor } from "./injected-body.ts";
import { bodyRoom, NoRoom } from "./body-budget.ts";
import { knownEncodings } from "./body-encoding.ts";
import type { ExchangeConnection } from "./mitm-connection.ts";
import { answerClient } from "./forward-response.ts";
import type { Forwarding } from "./forwarding.ts";
import { endToEndHeaders } from "./end-to-end-headers.ts";
import { longestFilled, putIn, putInHeader, Unfit } from "./inject.ts";
import { credentialsFor } from "./proxied-credential.ts";
import { NotConnected } from "./upstream-agent.ts";

/** Connections that end with an answer that was given: what came after its request is not looked at. */
const cut = new WeakSet<Socket>();

/**
 * Sends one request on, with credentials for placeholders, and its answer back, of which the rest may still be on its way when
 * this resolves. Rejects when the connection is to be cut.
 */
export async function forwardRequest(forwarding: Forwarding): Promise<void> {
  const { connection, request, response } = forwarding;
  if (cut.has(request.socket)) return;
  response.sendDate = false;
  request.on("error", () => response.destroy());
  const fault = faultOf(request, connection);
  if (fault !== null) return refuse(forwarding, fault.status, fault.why);
  const credentials = await connection.credentials();
  if (response.destroyed) return;
  const own = credentialsFor(credentials, connection, pathOf(request.url ?? "/"));
  const room = bodyRoom(connection.owner);
  response.once("close", room.release);
  try {
    const everywhere = own.filter(({ anywhere }) => anywhere);
    const body = await bodyFor(request, everywhere, room);
    if (response.destroyed) return;
    await exchange(forwarding, prepare(forwarding, own, everywhere, body.length), body, credentials);
  } catch (error) {
    if (error instanceof Unfit) refuse(forwarding, 400, error.message);
    else if (error instanceof NoRoom) refuse(forwarding, 503, error.message);
    else throw error;
  }
}

/** The identified host in every request, framing that nobody reads in two ways, and no wish to have the request itself back. */
function faultOf(
  { headersDistinct, headers, method, url = "" }: IncomingMessage,
  { name, port, protocol, deny }: ExchangeConnection,
): { status: number; why: string } | null {
  const said = headersDistinct.host ?? [];
  const isFor = (text: string | null): boolean => {
    const host = parseAskedHostPort(text ?? "");
    return host?.name === name && (host.port ?? (protocol === "tls" ? 443 : 80)) === port;
  };
  const isPath = url.startsWith("/") || url === "*";
  if (said.length !== 1 || !isFor(said[0] ?? "") || !(isPath || isFor(authorityOf(url)))) {
    deny({ host: name, port, reason: "name_mismatch" });
    return { status: 421, why: "This connection is for another host." };
  }
  if (method === "TRACE") return { status: 405, why: "This method is not supported." };
  const coding = headers["transfer-encoding"];
  if (coding === undefined || coding.toLowerCase() === "chunked") return null;
  return { status: 501, why: "This transfer coding is not supported." };
}

type Body = Awaited<ReturnType<typeof bodyFor>>;
type Prepared = () => ClientRequest;

function prepare(
  { connection, agent, request }: Forwarding,
  own: readonly SandboxCredential[],
  everywhere: readonly SandboxCredential[],
  length: number | "chunked" | "none",
): Prepared {
  const { method = "GET", url = "/" } = request;
  const path = putIn(pathOf(url), everywhere, "percent");
  const headers = filledHeaders(request, own);
  if (length === "chunked") headers.push(["Transfer-Encoding", ["chunked"]]);
  else if (length !== "none") headers.push(["Content-Length", [String(length)]]);
  return () => {
    const { name: host, port } = connection;
    const upstream = send({ agent, host, port, method, path, setHost: false, maxHeaderSize: 65_536 });
    for (const [name, values] of headers)
      upstream.setHeader(name, values.length === 1 ? (values[0] ?? "") : values);
    return upstream;
  };
}

/** @throws Unfit */
function filledHeaders(
  { rawHeaders }: IncomingMessage,
  own: readonly SandboxCredential[],
): [name: string, values: string[]][] {
  let length = 0;
  const filled = (name: string, value: string): string => {
    if (name.toLowerCase() === "accept-encoding") return knownEncodings(value);
    const header = putInHeader(name, value, own);
    length += header.length;
    if (length > longestFilled)
      throw new Unfit("The headers are too long with the credentials that they ask for.");
    return header;
  };
  return endToEndHeaders(rawHeaders, ["expect", "content-length"]).map(([name, values]) => [
    name,
    values.map((value) => filled(name, value)),
  ]);
}

async function exchange(
  forwarding: Forwarding,
  begin: Prepared,
  body: Body,
  credentials: readonly SandboxCredential[],
): Promise<void> {
  const { response } = forwarding;
  for (let attempt = 0; ; attempt++) {
    const upstream = begin();
    response.once("close", () => upstream.destroy());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    upstream.once("response", resolve).on("error", reject);
    upstream.once("close", () => reject(new Error("The host ended the connection without an answer.")));
    body.sendTo(upstream);
    try {
      answerClient(forwarding, await promise, credentials);
      return;
    } catch (error) {
      if (response.destroyed) return;
      // A server may end a kept connection at any time: the next one has the request for the first time.
      if (attempt === 0 && upstream.reusedSocket && body.length === "none") continue;
      unanswered(forwarding, error, upstream.reusedSocket);
      return;
    }
  }
}

/** A client whose connection breaks off on a later request sends it again; a first one is told why. */
function unanswered(forwarding: Forwarding, error: unknown, reused: boolean): void {
  const { connection, request } = forwarding;
  if (reused || error instanceof NotConnected) {
    request.socket.destroy();
    return;
  }
  const code = (error as NodeJS.ErrnoException).code ?? "no code";
  connection.log(`egress: ${connection.name}:${connection.port} gave no answer (${code})`);
  refuse(forwarding, 502, `${connection.name} could not be asked: ${code}.`);
}

function refuse({ request, response }: Forwarding, status: number, why: string): void {
  cut.add(request.socket);
  response.once("finish", () => request.socket.destroySoon());
  response.writeHead(status, { "Content-Type": "text/plain", Connection: "close" });
  response.end(`Berth: ${why}\n`);
}
