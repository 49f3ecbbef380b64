import { BlockList, isIP, isIPv6 } from "node:net";
import { addNetwork } from "../addresses/address-guard.ts";

/** Destination of a connection of the service: the requested host, and its address that was checked. */
export interface Target {
  name: string;
  address: string;
  port: number;
}

/** URLs of the proxies, and the hosts that do not need them. */
export interface ProxyAddresses {
  /** Proxy for https and every port but 80. Default: the proxy for plain HTTP. */
  https?: string | null;
  /** Proxy for port 80. Default: none. */
  http?: string | null;
  /**
   * Hosts reached without a proxy: names with all below them, or addresses, with or without port; networks;
   * `*`.
   */
  direct?: readonly string[];
}

/** The usual names of this machine. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1", "[::1]"];

/**
 * The operator's proxies, through which the service reaches the internet. Rules for direct connections follow
 * undici's `EnvHttpProxyAgent`, plus networks, which that does not support.
 */
export class OutgoingProxies {
  readonly #https: URL | null;
  readonly #http: URL | null;
  readonly #direct: readonly string[];
  readonly #networks = new BlockList();

  /** @throws Error with a clause for the operator, for an entry that is no host or network. */
  constructor({ https, http, direct = [] }: ProxyAddresses = {}) {
    this.#http = urlOf(http);
    this.#https = urlOf(https) ?? this.#http;
    this.#direct = direct.includes("*") ? ["*"] : direct;
    for (const entry of direct.filter((one) => one.includes("/"))) {
      if (!addNetwork(this.#networks, entry))
        throw new Error(
          `must be a list such as internal.example,10.0.0.0/8, and ${entry} is no host or network`,
        );
    }
  }

  /** Returns the proxy for a target, or null if the target is reached directly. */
  of(target: Target): URL | null {
    if (this.#isInNetwork(target.address)) return null;
    return this.#unlessDirect(target, target.port === 80 ? this.#http : this.#https);
  }

  /** Returns the proxy that programs configured by `variables` use for a URL, or null for none. */
  ofUrl({ protocol, hostname, port }: URL): URL | null {
    const isPlain = protocol === "http:";
    const target = { name: hostname, address: hostname, port: Number(port || (isPlain ? 80 : 443)) };
    return this.#unlessDirect(target, isPlain ? this.#http : this.#https);
  }

  #unlessDirect({ name, address, port }: Target, proxy: URL | null): URL | null {
    if (THIS_MACHINE.includes(name)) return null;
    const isDirect = this.#direct.some((entry) => [name, address].some((host) => covers(entry, host, port)));
    return isDirect ? null : proxy;
  }

  #isInNetwork(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#networks.check(address, family === 4 ? "ipv4" : "ipv6");
  }

  /** Returns the environment variables that configure other programs to use these proxies. */
  variables(): Record<string, string> {
    const direct = this.#direct.includes("*") ? this.#direct : [...this.#direct, ...THIS_MACHINE];
    return {
      ...(this.#https && { https_proxy: this.#https.href }),
      ...(this.#http && { http_proxy: this.#http.href }),
      ...((this.#https ?? this.#http) && { no_proxy: direct.join(",") }),
    };
  }
}

function urlOf(text: string | null | undefined): URL | null {
  return text ? new URL(text) : null;
}

function covers(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  const [, named, onlyPort] = isIPv6(entry) ? [] : (/^(.+):(\d+)$/.exec(entry) ?? []);
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
  const wanted = (named ?? entry).replace(/^\*?\./, "").toLowerCase();
  return host === wanted || host.endsWith(`.${wanted}`);
}
