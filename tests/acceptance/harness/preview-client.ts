import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import { request as secureRequest } from "node:https";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { AnyJson } from "./api.ts";

export interface PreviewReply {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
}

/** Requests to the origin of a preview, whose name this machine may not resolve, at the service's address. */
export class PreviewClient {
  readonly origin: string;
  readonly token: string;
  readonly #host: string;
  readonly #port: string;
  /** The authority that signed the certificate of the address; null for plain HTTP. */
  readonly #authority: Buffer | null;

  /**
   * @param url that of the preview.
   * @param service that of the service, or of a proxy before it, with its authority.
   */
  constructor({ url }: AnyJson, service: string, authority: Buffer | null = null) {
    const parsed = new URL(url);
    this.origin = parsed.origin;
    this.token = parsed.hash.slice(1);
    this.#host = parsed.host;
    this.#port = new URL(service).port;
    this.#authority = authority;
  }

  /** Opens a request. `headers` begin with the preview's token, unless they have their own `authorization`. */
  open(path: string, { headers = {}, ...options }: RequestOptions = {}) {
    const sent = { authorization: `Bearer ${this.token}`, ...headers } as Record<string, string | undefined>;
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
    const all = {
      ...{ host: "127.0.0.1", port: this.#port, path, agent: false as const, ...options },
      headers: { host: this.#host, ...given } as Record<string, string>,
    };
    if (this.#authority === null) return request(all);
    return secureRequest({ ...all, servername: this.#host.split(":")[0], ca: this.#authority });
  }

  async call(path: string, options: RequestOptions = {}, body?: string | Buffer): Promise<PreviewReply> {
    const sent = this.open(path, options);
    sent.end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const { statusCode: status = 0, headers } = response;
    return { status, headers, text: await text(response) };
  }

  /** Opens a web socket at `/socket`, whose frames nobody reads. Returns the response if it is refused. */
  async socket(headers: RequestOptions["headers"] = {}): Promise<Socket | IncomingMessage> {
    const sent = this.open("/socket", {
      headers: { connection: "Upgrade", upgrade: "websocket", ...(headers as Record<string, string>) },
    });
    sent.end();
    return await new Promise((resolve, reject) => {
      sent.once("upgrade", (_response, socket) => resolve(socket as Socket));
      sent.once("response", resolve);
      sent.once("error", reject);
    });
  }
}
