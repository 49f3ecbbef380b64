import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { isIP, isIPv4, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { connect, createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { orAborted } from "@berth/concurrency";
import { createAddressGuard, isPublicAddress } from "../addresses/address-guard.ts";
import { type Resolve, resolveBySystem } from "../addresses/resolve.ts";
import type { HostName } from "../names/host-name.ts";
import { parseUrlHost, type UrlHost } from "../names/url-host.ts";
import { connectThrough } from "../outgoing/connect-through.ts";
import { OutgoingProxies } from "../outgoing/outgoing-proxies.ts";
import type { EgressDenied } from "../policy/denial-log.ts";

/** `fetch` for requests that the service itself makes to URLs that users provide. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetchOptions {
  /** Hosts, addresses or networks that may be reached although they are not public, as for `createEgress`. */
  allowPrivate: readonly string[];
  /** PEM of authorities to trust besides those of Node and the machine. Default: those of Node alone. */
  authorities?: readonly string[];
  resolve?: Resolve;
  /** Outgoing proxies. Default: none; every destination is dialled directly. */
  proxies?: OutgoingProxies;
}

/** Thrown when the host is not allowed, none of its addresses may be reached, or it does not resolve. */
export class DestinationDenied extends Error {
  override readonly name = "DestinationDenied";
  readonly denied: EgressDenied;

  constructor(message: string, url: URL, reason: EgressDenied["reason"]) {
    super(message);
    const host = parseUrlHost(url);
    this.denied = { host: host?.name ?? host?.address ?? url.hostname, port: host?.port ?? null, reason };
  }
}

/**
 * Creates a fetch that reaches public addresses over TLS, and private addresses that the operator lists, also
 * over plain HTTP. It resolves a name once and dials the checked addresses, directly or through a proxy, so
 * DNS rebinding has no effect. It returns redirects and does not follow them. Each request has its own
 * connection. Request bodies are text.
 * @throws EgressError for an entry of `allowPrivate` that is no host, address or network.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const guard = createAddressGuard(options.allowPrivate);
  const resolve = options.resolve ?? resolveBySystem;
  const proxies = options.proxies ?? new OutgoingProxies();
  let context: SecureContext | undefined;
  const trust = (): { secureContext?: SecureContext } => {
    if (options.authorities === undefined) return {};
    context ??= contextTrusting(options.authorities);
    return { secureContext: context };
  };

  /** Returns the addresses of a host that may be dialled. */
  async function permitted(url: URL): Promise<string[]> {
    const { tls, name, address, port } = hostOf(url);
    const found = address === null ? await resolve(name).catch(() => []) : [address];
    if (found.length === 0) {
      throw new DestinationDenied("The host's name does not resolve.", url, "unresolvable");
    }
    const dialled = found.filter(
      (address) => guard(name, address, port) && (tls || !isPublicAddress(address)),
    );
    if (dialled.length > 0) return dialled;
    const message = "The host's address is not allowed.";
    throw new DestinationDenied(message, url, "private_address");
  }

  /** Returns request options that go through a proxy, or null if no proxy applies. */
  async function proxied(url: URL, addresses: readonly string[], signal?: AbortSignal | null) {
    const { tls, port } = hostOf(url);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const [address = ""] = addresses;
    const proxy = proxies.of({ name: host, address, port });
    if (proxy === null) return null;
    const socket = await connectThrough(proxy, { address, port }, signal ?? undefined);
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const createConnection = () => (tls ? connect({ socket, host, ...servername, ...trust() }) : socket);
    return { createConnection };
  }

  return async (given, init = {}) => {
    const url = new URL(given);
    const { signal, body } = init;
    const addresses = await (signal == null ? permitted(url) : orAborted(permitted(url), signal));
    const settings: RequestOptions = {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...((await proxied(url, addresses, signal)) ?? {
        lookup: lookupOf(addresses),
        agent: false,
        ...trust(),
      }),
      ...(signal == null ? {} : { signal }),
    };
    const request = url.protocol === "https:" ? requestTls(url, settings) : requestPlain(url, settings);
    request.end(typeof body === "string" ? body : undefined);
    const [response]: IncomingMessage[] = await once(request, "response");
    if (response === undefined) throw new Error("The request ended without a response.");
    request.on("error", () => undefined);
    return toResponse(response);
  };
}

/** Policy that an `allowedFetch` applies to each request. */
export interface RequestPolicy {
  allows(url: URL): boolean;
  onDenied(denied: EgressDenied): void;
  /** Error message for a request that `allows` denies. */
  deniedMessage: string;
}

/** Wraps a guarded fetch with a policy that is checked for each request. Reports every denial. */
export function allowedFetch(fetch: GuardedFetch, policy: RequestPolicy): GuardedFetch {
  return async (given, init) => {
    const url = new URL(given);
    try {
      if (policy.allows(url)) return await fetch(url, init);
      throw new DestinationDenied(policy.deniedMessage, url, "not_allowed");
    } catch (error) {
      if (error instanceof DestinationDenied) policy.onDenied(error.denied);
      throw error;
    }
  };
}

/** Creates a TLS context. It costs as much as many requests, so callers keep the result. */
function contextTrusting(authorities: readonly string[]): SecureContext {
  const known = [...getCACertificates("default"), ...getCACertificates("system")];
  return createSecureContext({ ca: [...new Set([...known, ...authorities])] });
}

/**
 * Returns whether the operator's list contains the host of a URL by name, or by address if the host is a
 * literal IP address. Plain HTTP is permitted to such a host.
 */
export function isListedHost(allowPrivate: readonly string[], url: string): boolean {
  const { name, address, port } = hostOf(new URL(url));
  if (address !== null && isPublicAddress(address)) return false;
  return createAddressGuard(allowPrivate)(name, address ?? "", port);
}

/**
 * Returns the host of a URL. A literal IP address gets the empty name, which no list contains.
 * @throws DestinationDenied for a host that is neither a name nor an address.
 */
function hostOf(url: URL): UrlHost & { name: HostName } {
  const host = parseUrlHost(url);
  if (host === null) throw new DestinationDenied("The host is not a name or an address.", url, "not_allowed");
  return { ...host, name: host.name ?? ("" as HostName) };
}

/** Returns a lookup that yields the addresses that were resolved before. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  return (_name, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family ?? 0);
  };
}

function toResponse(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new Error("The response has an invalid HTTP status.");
  }
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (status === 204 || status === 205 || status === 304) {
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(message) as ReadableStream, { status, headers });
}
