import type { IncomingMessage } from "node:http";
import { HOP_BY_HOP } from "@berth/egress";

/** A preview's origin in the browser, and the port behind it. */
export interface Translated {
  /** Such as `https://<label>.previews.example.com`. */
  origin: string;
  port: number;
  /** Name of Berth's own cookie at that origin. */
  cookie: string;
}

type Pair = [name: string, value: string];

/** What proxies add about clients, which is nothing for the agent. */
const OF_PROXIES = /^(forwarded|x-forwarded-.*|x-real-ip|via|cf-.*|true-client-ip)$/;

/** What would bind the browser beyond this preview. */
const BEYOND: ReadonlySet<string> = new Set(["strict-transport-security", "alt-svc", "public-key-pins"]);

/**
 * Returns the headers of a request as a browser on the sandbox's own machine would send them to
 * `http://localhost:<port>`: many servers of developers accept no other host or origin.
 *
 * @param isOwnToken whether the header `Authorization` is for Berth.
 */
export function requestHeaders(request: IncomingMessage, to: Translated, isOwnToken: boolean): Pair[] {
  const inside = `http://localhost:${to.port}`;
  const named = connectionNames(request);
  return pairsOf(request.rawHeaders).flatMap(([name, value]): Pair[] => {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || named.has(lower) || OF_PROXIES.test(lower)) return [];
    if (lower === "expect" || (lower === "authorization" && isOwnToken)) return [];
    if (lower === "host") return [[name, `localhost:${to.port}`]];
    if (lower === "origin") return [[name, value === to.origin ? inside : value]];
    if (lower === "referer") return [[name, moved(value, to.origin, inside)]];
    if (lower !== "cookie") return [[name, value]];
    const cookies = value.split(/;\s*/).filter((cookie) => !isNamed(cookie, to.cookie));
    return cookies.length === 0 ? [] : [[name, cookies.join("; ")]];
  });
}

/** Returns the headers of a response as they are at the preview's origin. */
export function responseHeaders(response: IncomingMessage, to: Translated): Pair[] {
  const named = connectionNames(response);
  return pairsOf(response.rawHeaders).flatMap(([name, value]): Pair[] => {
    const lower = name.toLowerCase();
    if (HOP_BY_HOP.has(lower) || named.has(lower) || BEYOND.has(lower)) return [];
    if (lower === "location" || lower === "content-location" || lower === "access-control-allow-origin")
      return [[name, fromInside(value, to)]];
    if (lower !== "set-cookie") return [[name, value]];
    return isNamed(value, to.cookie) ? [] : [[name, value.replaceAll(/;\s*domain=[^;]*/gi, "")]];
  });
}

/** Returns the value of Berth's cookie in a request. */
export function ownCookie(request: IncomingMessage, name: string): string | undefined {
  const cookies = (request.headers.cookie ?? "").split(/;\s*/);
  return cookies.find((cookie) => isNamed(cookie, name))?.slice(name.length + 1);
}

function isNamed(cookie: string, name: string): boolean {
  return cookie.trimStart().split("=", 1)[0]?.trim() === name;
}

function fromInside(url: string, { origin, port }: Translated): string {
  for (const host of ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"]) {
    const result = moved(url, `http://${host}:${port}`, origin);
    if (result !== url) return result;
    if (port === 80 && moved(url, `http://${host}`, origin) !== url)
      return moved(url, `http://${host}`, origin);
  }
  return url;
}

/** Returns a URL with another origin, if it has this one. */
function moved(url: string, from: string, to: string): string {
  const rest = url.toLowerCase().startsWith(from) ? url.slice(from.length) : null;
  return rest !== null && (rest === "" || /^[/?#]/.test(rest)) ? to + rest : url;
}

function connectionNames({ headers }: Pick<IncomingMessage, "headers">): ReadonlySet<string> {
  return new Set(
    String(headers.connection ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim()),
  );
}

function pairsOf(raw: readonly string[]): Pair[] {
  return raw.flatMap((name, index): Pair[] => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : []));
}
