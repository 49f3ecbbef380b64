import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Database } from "@berth/store/db";
import type { SessionHub } from "@berth/store/notify";
import type { Logger } from "pino";
import type { ClientAddresses } from "../../http/client-address.ts";
import type { OtherHosts } from "../../http/divert-hosts.ts";
import { isFromOwnPage } from "./check-same-origin.ts";
import { enter } from "./enter-preview.ts";
import type { Entered } from "./entered.ts";
import { forwardRequest } from "./forward-request.ts";
import { forwardUpgrade } from "./forward-upgrade.ts";
import { OpenExchanges } from "./open-exchanges.ts";
import { NotConnectedError, PortAgents } from "./port-agents.ts";
import { ENTER_PATH, OWN_PATH, type PreviewAddresses } from "./preview-addresses.ts";
import { ownCookie } from "./preview-headers.ts";
import type { PreviewLinks } from "./preview-links.ts";
import type { PreviewMetrics } from "./preview-metrics.ts";
import {
  FOREIGN,
  messagePage,
  NO_PREVIEW,
  NOT_ENTERED,
  noConnectionText,
  type OwnResponse,
} from "./preview-pages.ts";
import { type ServedPreview, servedPreview } from "./served-preview-store.ts";

export interface PreviewHostDeps {
  db: Database;
  hub: Pick<SessionHub, "subscribe">;
  log: Logger;
  addresses: PreviewAddresses;
  links: PreviewLinks;
  metrics: PreviewMetrics;
  clients: Pick<ClientAddresses, "isFromProxy">;
  /** Whether the service itself terminates TLS. */
  isTls: boolean;
}

type Said = readonly [status: number, title: string, text: string];

/**
 * Serves the hosts of previews: everything at such an origin comes from the program in the sandbox, except
 * what is below `/.berth/`, and pages that say why there is nothing.
 */
export class PreviewHosts implements OtherHosts {
  readonly #deps: PreviewHostDeps;
  readonly #agents: PortAgents;
  readonly #open: OpenExchanges;

  constructor(deps: PreviewHostDeps) {
    this.#deps = deps;
    this.#agents = new PortAgents(deps.links);
    this.#open = new OpenExchanges(deps.db, deps.hub);
  }

  claims(request: IncomingMessage): boolean {
    return this.#deps.addresses.labelIn(this.#hostOf(request)) !== null;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const ended = this.#deps.metrics.began("request");
    response.once("close", () => ended(response.headersSent ? response.statusCode : null));
    this.#serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else respond(response, this.#failure(request, error));
    });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const ended = this.#deps.metrics.began("web_socket");
    let status: number | null = null;
    socket.once("close", () => ended(status));
    this.#upgrade(request, socket, head)
      .catch((error: unknown) => respondOnSocket(socket, this.#failure(request, error)))
      .then((sent) => {
        status = sent;
      });
  }

  /** Ends everything that is in progress. */
  close(): void {
    this.#open.close();
    this.#agents.close();
    this.#deps.links.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const entered = await this.#entered(request);
    if ("status" in entered) return respond(response, entered);
    const end = this.#open.add(entered.preview, () => response.destroy());
    response.once("close", end);
    await forwardRequest(this.#agents, entered, response);
  }

  /** Returns the status of the response; null when there was none. */
  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<number | null> {
    const entered = await this.#entered(request);
    if ("status" in entered) return respondOnSocket(socket, entered);
    const end = this.#open.add(entered.preview, () => socket.destroy());
    socket.once("close", end);
    return await forwardUpgrade(this.#deps.links, entered, { socket, head });
  }

  /** Returns the request if it is to be forwarded, otherwise what is said to it. */
  async #entered(request: IncomingMessage): Promise<Entered | OwnResponse> {
    const say = (said: Said) => messagePage(request, ...said);
    const label = this.#deps.addresses.labelIn(this.#hostOf(request));
    const preview = label ? await servedPreview(this.#deps.db.read, label) : null;
    const path = pathOf(request.url ?? "/");
    if (preview === null || path === null) return say(NO_PREVIEW);
    const origin = this.#originOf(request, preview);
    const isSecure = origin.startsWith("https:");
    const cookie = isSecure ? "__Host-berth-preview" : "berth-preview";
    const { addresses } = this.#deps;
    if (path.startsWith(OWN_PATH)) {
      if (path.split("?", 1)[0] !== ENTER_PATH) return say([404, "There is nothing here.", ""]);
      const isToken = (token: string) => addresses.isTokenOf(preview, token);
      return await enter(request, { origin, cookie, isSecure, isToken, leftMs: preview.leftMs });
    }
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const byHeader = bearer !== undefined && addresses.isTokenOf(preview, bearer);
    if (!byHeader && !addresses.isTokenOf(preview, ownCookie(request, cookie) ?? "")) return say(NOT_ENTERED);
    if (!isFromOwnPage(request, origin)) return say(FOREIGN);
    return { request, preview, to: { origin, port: preview.port, cookie }, path, byHeader };
  }

  #failure(request: IncomingMessage, error: unknown): OwnResponse {
    if (error instanceof NotConnectedError)
      return messagePage(request, ...noConnectionText(error.reason, error.port));
    this.#deps.log.warn({ err: error }, "a request for a preview failed");
    return messagePage(
      request,
      502,
      "The program in the sandbox gave no response.",
      "Try again in a moment.",
    );
  }

  #hostOf(request: IncomingMessage): string {
    const forwarded = this.#forwarded(request, "x-forwarded-host");
    return forwarded ?? request.headers.host ?? "";
  }

  #originOf(request: IncomingMessage, preview: ServedPreview): string {
    const protocol = this.#forwarded(request, "x-forwarded-proto") ?? (this.#deps.isTls ? "https" : "http");
    const port = URL.parse(`${protocol}://${this.#hostOf(request)}`)?.port ?? "";
    const base = `${protocol === "https" ? "https" : "http"}://localhost${port === "" ? "" : `:${port}`}`;
    return this.#deps.addresses.originOf(preview, base) ?? base;
  }

  /** Returns the last value of a header that a trusted proxy writes. */
  #forwarded(request: IncomingMessage, name: string): string | undefined {
    if (!this.#deps.clients.isFromProxy(request)) return undefined;
    const value = String(request.headers[name] ?? "")
      .split(",")
      .pop()
      ?.trim();
    return value === "" ? undefined : value;
  }
}

/** Returns the path and query of a request's target; null when it has none. */
function pathOf(target: string): string | null {
  const path = /^https?:\/\/[^/?]*(.*)$/is.exec(target)?.[1] ?? target;
  if (path.startsWith("/") || path === "*") return path;
  return path.startsWith("?") || path === "" ? `/${path}` : null;
}

function respond(response: ServerResponse, { status, headers, body }: OwnResponse): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** Returns the status; null when nobody reads the socket any longer. */
function respondOnSocket(socket: Duplex, { status, headers, body }: OwnResponse): number | null {
  if (!socket.writable) {
    socket.destroy();
    return null;
  }
  const all = { ...headers, connection: "close", "content-length": `${Buffer.byteLength(body)}` };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} \r\n${lines.join("")}\r\n${body}`, () => socket.destroy());
  return status;
}
