import { BlockList, isIP, isIPv6 } from "node:net";
import { addNetwork } from "../addresses/address-guard.ts";

/** What the service connects to: the host as it was asked for, and the address that was checked. */
export interface Target {
  name: string;
  address: string;
  port: number;
}

export interface ProxyAddresses {
  /** For https and every port but 80. Default: that for plain HTTP. */
  https?: string | null;
  /** For port 80. Default: none. */
  http?: string | null;
  /** Hosts that are reached without one: names with all below them, addresses, either with a port; networks, or `*`. */
  direct?: readonly string[];
}

/** This machine by its usual names. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1", "[::1]"];

/**
 * The operator's proxies, through which the service reaches the internet. What is reached without one is what `EnvHttpProxyAgent`
 * of undici says, which knows no networks.
 */
export class OutgoingProxies {
  readonly #https: URL | null;
  readonly #http: URL | null;
  readonly #direct: readonly string[];
  readonly #networks = new BlockList();

  /** @throws a clause for the operator, about an entry that is no host or network. */
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

  /** The proxy for a target; null: it is reached without one. */
  of(target: Target): URL | null {
    if (this.#isInNetwork(target.address)) return null;
    return this.#unlessDirect(target, target.port === 80 ? this.#http : this.#https);
  }

  /** The proxy that programs take which are told by `variables`; null: none. */
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

  /** The variables by which other programs learn of them. */
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
