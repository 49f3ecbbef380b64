import { type OutgoingHttpHeaders, request } from "node:http";
import type { AnyJson } from "./api.ts";

export interface PageResponse {
  status: number;
  headers: Headers;
  body: AnyJson;
}

/** The parts of a request besides its path. A null header is omitted. */
export interface PageRequest {
  method?: string;
  headers?: Record<string, string | null>;
  /** The body, sent as JSON. */
  body?: unknown;
  /** The body as text, in place of `body`. */
  raw?: string;
}

/**
 * A client that sends requests as a browser would for a page of the service: with its cookies, `Origin` and
 * `Sec-Fetch-Site`. A request can override each header. Redirects are not followed.
 */
export class WebPage {
  readonly origin: string;
  readonly cookies = new Map<string, string>();
  /** All received `Set-Cookie` headers. */
  readonly setCookies: string[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }

  get(path: string, headers: Record<string, string | null> = {}): Promise<PageResponse> {
    return this.send(path, { headers });
  }

  post(path: string, body?: unknown, headers: Record<string, string | null> = {}): Promise<PageResponse> {
    return this.send(path, { method: "POST", body, headers });
  }

  /** Sends a request. @param path a path of the service, or a whole URL. */
  send(path: string, { method = "GET", headers = {}, body, raw }: PageRequest = {}): Promise<PageResponse> {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const own: OutgoingHttpHeaders = {
      ...(method === "GET" ? {} : { origin: this.origin }),
      "sec-fetch-site": "same-origin",
      ...(this.cookies.size === 0 ? {} : { cookie: this.cookieHeader }),
      ...(payload === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
    };
    const given = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== null);
    return new Promise((resolve, reject) => {
      const url = new URL(path, this.origin);
      const sent = request(url, {
        method,
        headers: Object.fromEntries(given) as OutgoingHttpHeaders,
        agent: false,
      });
      sent.on("error", reject).on("response", async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        const text = Buffer.concat(parts).toString();
        this.#keep(response.headers["set-cookie"] ?? []);
        const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(
            Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
          ),
          body: isJson ? JSON.parse(text) : text,
        });
      });
      sent.end(payload);
    });
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(given: readonly string[]): void {
    for (const cookie of given) {
      this.setCookies.push(cookie);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "" || /;\s*max-age=0/i.test(cookie) || /;\s*expires=Thu, 01 Jan 1970/i.test(cookie))
        this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
