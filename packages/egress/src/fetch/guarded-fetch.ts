import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIPv4, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { isPublicAddress, makeAddressGuard } from "../addresses/address-guard.ts";
import { type Resolve, resolveBySystem } from "../relay/dial.ts";
import type { HostName } from "../names/host-name.ts";
import type { EgressDenied } from "../policy/types.ts";
import { parseUrlHost, type UrlHost } from "../names/url-host.ts";

/** `fetch` for what the service itself asks of addresses that its users name. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  /** As for `createEgress`: hosts, addresses or networks that are not public and may be reached. */
  allowPrivate: readonly string[];
  /** PEM of authorities to trust beside those of Node and of the machine. Default none, and Node's alone. */
  authorities?: readonly string[];
  resolve?: Resolve;
}

/** The host is not one that may be reached, by its name or by its addresses, or it has none. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  readonly denied: EgressDenied;

  constructor(message: string, url: URL, reason: EgressDenied["reason"]) {
    super(message);
    const host = parseUrlHost(url);
    this.denied = { host: host?.name ?? host?.address ?? url.hostname, port: host?.port ?? null, reason };
  }
}

/**
 * A fetch that reaches the public internet over TLS, and beyond that only the private addresses that the operator lists,
 * those in plain HTTP too. A name is resolved once and the addresses that were looked at are dialled, so that an answer
 * that changes in between changes nothing. Redirects are answered, never followed; each request has a connection of its
 * own, which ends with it.
 *
 * Bodies of requests are text. @throws EgressError for an entry that is no host, address or network.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const guard = makeAddressGuard(options.allowPrivate);
  const resolve = options.resolve ?? resolveBySystem;
  let context: SecureContext | undefined;
  const trust = (): RequestOptions => {
    if (options.authorities === undefined) return {};
    context ??= trusting(options.authorities);
    return { secureContext: context } as RequestOptions;
  };

  /** Which of a host's addresses may be dialled. */
  async function permitted(url: URL): Promise<string[]> {
    const { tls, name, address, port } = hostOf(url);
    const found = address === null ? await resolve(name).catch(() => []) : [address];
    if (found.length === 0) {
      throw new AddressRefused("The name of the host does not resolve.", url, "unresolvable");
    }
    const dialled = found.filter(
      (address) => guard(name, address, port) && (tls || !isPublicAddress(address)),
    );
    if (dialled.length > 0) return dialled;
    const message = "The address of the host is not one that may be reached.";
    throw new AddressRefused(message, url, "private_address");
  }

  return async (given, init = {}) => {
    const url = new URL(given);
    const addresses = await permitted(url);
    const { signal, body } = init;
    signal?.throwIfAborted();
    const settings: RequestOptions = {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      lookup: lookupOf(addresses),
      agent: false,
      ...trust(),
      ...(signal == null ? {} : { signal }),
    };
    const request = url.protocol === "https:" ? requestTls(url, settings) : requestPlain(url, settings);
    request.end(typeof body === "string" ? body : undefined);
    const [answer]: IncomingMessage[] = await once(request, "response");
    if (answer === undefined) throw new Error("A request ended without an answer.");
    request.on("error", () => undefined);
    return responseOf(answer);
  };
}

/** Made once: it takes as long as many requests. */
function trusting(authorities: readonly string[]): SecureContext {
  const known = [...getCACertificates("default"), ...getCACertificates("system")];
  return createSecureContext({ ca: [...new Set([...known, ...authorities])] });
}

/**
 * Whether the operator's list names the host of an address by its name, or holds it where it is an IP address: then plain HTTP
 * may be spoken to it.
 */
export function isListedHost(allowPrivate: readonly string[], url: string): boolean {
  const { name, address, port } = hostOf(new URL(url));
  if (address !== null && isPublicAddress(address)) return false;
  return makeAddressGuard(allowPrivate)(name, address ?? "", port);
}

/** An IP address has the empty name, which nothing lists. @throws AddressRefused for a host that is neither. */
function hostOf(url: URL): UrlHost & { name: HostName } {
  const host = parseUrlHost(url);
  if (host === null) throw new AddressRefused("The host is not a name or an address.", url, "not_allowed");
  return { ...host, name: host.name ?? ("" as HostName) };
}

/** Answers what was resolved before, whatever is asked. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  return (_name, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family ?? 0);
  };
}

function responseOf(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  if (status < 200 || status > 599) {
    answer.destroy();
    throw new Error("An answer has no status that HTTP knows.");
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (status === 204 || status === 205 || status === 304) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(answer) as ReadableStream, { status, headers });
}
