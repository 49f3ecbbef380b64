import { type ClientRequest, type IncomingMessage, request as startRequest } from "node:http";
import type { Socket } from "node:net";
import { parseRequestedHostPort } from "../names/host-name.ts";
import { authorityOf, pathOf } from "../protocols/http-request.ts";
import { BodyBudget, BodyBudgetExceeded } from "./body-budget.ts";
import { knownEncodings } from "./body-encoding.ts";
import { endToEndHeaders } from "./end-to-end-headers.ts";
import { forwardResponse } from "./forward-response.ts";
import { inject, injectInHeader, MAX_INJECTED, UnencodableCredential } from "./inject.ts";
import { type InjectedBody, injectInBody } from "./injected-body.ts";
import type { MitmConnection, MitmRequest } from "./mitm-connection.ts";
import {
  areSearchable,
  credentialsFor,
  MAX_BYTES_AT_HOST,
  type ProxiedCredential,
} from "./proxied-credential.ts";
import { NotConnected } from "./upstream-agent.ts";

/** Client connections that close after an error response. Later requests on them are ignored. */
const closing = new WeakSet<Socket>();

const TOO_MANY_BYTES = `This session has more than ${MAX_BYTES_AT_HOST} bytes of secrets for this host.`;

/**
 * Forwards one request with credentials injected, and its response. Resolves once the response has begun.
 * Rejects when the connection must be closed.
 */
export async function forwardRequest(exchange: MitmRequest): Promise<void> {
  const { connection, request, response } = exchange;
  if (closing.has(request.socket)) return;
  response.sendDate = false;
  request.on("error", () => response.destroy());
  const fault = findFault(request, connection);
  if (fault !== null) return respondWithError(exchange, fault.status, fault.message);
  const credentials = await connection.credentials();
  if (response.destroyed) return;
  if (!areSearchable(credentials)) return respondWithError(exchange, 400, TOO_MANY_BYTES);
  const own = credentialsFor(credentials, connection, pathOf(request.url ?? "/"));
  const budget = new BodyBudget(connection.owner);
  response.once("close", () => budget.release());
  try {
    const everywhere = own.filter(({ anywhere }) => anywhere);
    const body = await injectInBody(request, everywhere, budget);
    if (response.destroyed) return;
    await send(exchange, prepareUpstream(exchange, own, everywhere, body.length), body, credentials);
  } catch (error) {
    if (error instanceof UnencodableCredential) respondWithError(exchange, 400, error.message);
    else if (error instanceof BodyBudgetExceeded) respondWithError(exchange, 503, error.message);
    else throw error;
  }
}

/**
 * Returns the fault of a request, or null. Every request must name the connection's host and have unambiguous
 * framing. TRACE would return the request with its secrets.
 */
function findFault(
  { headersDistinct, headers, method, url = "" }: IncomingMessage,
  { name, port, protocol, deny }: MitmConnection,
): { status: number; message: string } | null {
  const hosts = headersDistinct.host ?? [];
  const matches = (text: string | null): boolean => {
    const host = parseRequestedHostPort(text ?? "");
    return host?.name === name && (host.port ?? (protocol === "tls" ? 443 : 80)) === port;
  };
  const isPath = url.startsWith("/") || url === "*";
  if (hosts.length !== 1 || !matches(hosts[0] ?? "") || !(isPath || matches(authorityOf(url)))) {
    deny({ host: name, port, reason: "name_mismatch" });
    return { status: 421, message: "This connection is for another host." };
  }
  if (method === "TRACE") return { status: 405, message: "This method is not supported." };
  const coding = headers["transfer-encoding"];
  if (coding === undefined || coding.toLowerCase() === "chunked") return null;
  return { status: 501, message: "This transfer coding is not supported." };
}

/**
 * Returns a function that starts the upstream request, so that it can be repeated.
 * @throws UnencodableCredential
 */
function prepareUpstream(
  { connection, agent, request }: MitmRequest,
  own: readonly ProxiedCredential[],
  everywhere: readonly ProxiedCredential[],
  length: InjectedBody["length"],
): () => ClientRequest {
  const { method = "GET", url = "/" } = request;
  const path = inject(pathOf(url), everywhere, "percent");
  const headers = injectInHeaders(request, own);
  if (length === "chunked") headers.push(["Transfer-Encoding", ["chunked"]]);
  else if (length !== "none") headers.push(["Content-Length", [String(length)]]);
  return () => {
    const { name: host, port } = connection;
    const upstream = startRequest({ agent, host, port, method, path, setHost: false, maxHeaderSize: 65_536 });
    for (const [name, values] of headers)
      upstream.setHeader(name, values.length === 1 ? (values[0] ?? "") : values);
    return upstream;
  };
}

/** Returns the request's end-to-end headers with credentials injected. @throws UnencodableCredential */
function injectInHeaders(
  { rawHeaders }: IncomingMessage,
  own: readonly ProxiedCredential[],
): [name: string, values: string[]][] {
  let length = 0;
  const injected = (name: string, value: string): string => {
    if (name.toLowerCase() === "accept-encoding") return knownEncodings(value);
    const header = injectInHeader(name, value, own);
    length += header.length;
    if (length > MAX_INJECTED)
      throw new UnencodableCredential("The headers are too long with the credentials that they ask for.");
    return header;
  };
  return endToEndHeaders(rawHeaders, ["expect", "content-length"]).map(([name, values]) => [
    name,
    values.map((value) => injected(name, value)),
  ]);
}

async function send(
  exchange: MitmRequest,
  start: () => ClientRequest,
  body: InjectedBody,
  credentials: readonly ProxiedCredential[],
): Promise<void> {
  const { response } = exchange;
  for (let attempt = 0; ; attempt++) {
    const upstream = start();
    response.once("close", () => upstream.destroy());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    upstream.once("response", resolve).on("error", reject);
    upstream.once("close", () => reject(new Error("The host closed the connection without a response.")));
    body.sendTo(upstream);
    try {
      forwardResponse(exchange, await promise, credentials);
      return;
    } catch (error) {
      if (response.destroyed) return;
      // A server may close a kept-alive connection at any time; it has not received this request.
      if (attempt === 0 && upstream.reusedSocket && body.length === "none") continue;
      handleFailure(exchange, error, upstream.reusedSocket);
      return;
    }
  }
}

/**
 * Reports a failed request. On a reused connection the client's connection is closed, since clients then
 * retry. On a new connection the client gets the reason.
 */
function handleFailure(exchange: MitmRequest, error: unknown, reused: boolean): void {
  const { connection, request } = exchange;
  if (reused || error instanceof NotConnected) {
    request.socket.destroy();
    return;
  }
  const code = (error as NodeJS.ErrnoException).code ?? "no code";
  connection.log(`egress: ${connection.name}:${connection.port} gave no response (${code})`);
  respondWithError(exchange, 502, `${connection.name} could not be asked: ${code}.`);
}

function respondWithError(
  { request, response, errorPrefix }: MitmRequest,
  status: number,
  message: string,
): void {
  closing.add(request.socket);
  response.once("finish", () => request.socket.destroySoon());
  response.writeHead(status, { "Content-Type": "text/plain", Connection: "close" });
  response.end(`${errorPrefix}${message}\n`);
}
