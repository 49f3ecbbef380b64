import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { PortConnection, Sandbox } from "@berth/sandbox";
import { LINK_REASON, LINK_TLS, type LinkAddress } from "@berth/store/session-log";
import type { Logger } from "pino";

export interface SessionPreviewDeps {
  /** Returns the key of a link, which the API process that asked for it has as well. */
  linkKey(linkId: string): Buffer;
  log: Pick<Logger, "debug">;
}

/** Milliseconds for each address. */
const DIAL_MS = 3_000;
/** Milliseconds after its last connection for which a preview counts as used. */
const USED_MS = 300_000;
const WINDOW_BYTES = 1024 * 1024;

/**
 * Links to API processes, over which these open connections to ports of the session's sandbox while the lease
 * is held. None of them opens a sandbox.
 */
export class SessionPreviews {
  readonly #deps: SessionPreviewDeps;
  readonly #sandbox: () => Promise<Pick<Sandbox, "connect"> | null>;
  readonly #links = new Set<ServerHttp2Session>();
  #open = 0;
  #lastAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  /** @param sandbox Returns the session's sandbox if it is open. */
  constructor(deps: SessionPreviewDeps, sandbox: () => Promise<Pick<Sandbox, "connect"> | null>) {
    this.#deps = deps;
    this.#sandbox = sandbox;
  }

  /** Whether a connection is open, or was a short time ago. */
  get areUsed(): boolean {
    return this.#open > 0 || performance.now() - this.#lastAt < USED_MS;
  }

  /** Connects to the process that asked for a link. Returns false when none of its addresses can be reached. */
  async link(linkId: string, addresses: readonly LinkAddress[]): Promise<boolean> {
    for (const address of addresses) {
      const socket = await this.#dial(linkId, address);
      if (socket === null) continue;
      if (this.#isClosed) {
        socket.destroy();
        return false;
      }
      const link = performServerHandshake(socket, { settings: { initialWindowSize: WINDOW_BYTES } });
      this.#links.add(link);
      link.on("error", () => undefined);
      link.once("close", () => this.#links.delete(link));
      link.on("stream", (stream, headers) => void this.#serve(stream, String(headers[":path"] ?? "")));
      return true;
    }
    return false;
  }

  /** Closes all links, and with them the connections. No more are made. */
  close(): void {
    this.#isClosed = true;
    for (const link of this.#links) link.destroy();
  }

  async #dial(linkId: string, address: LinkAddress): Promise<TLSSocket | null> {
    const to = "name" in address ? { path: `\0${address.name}` } : address;
    const psk = this.#deps.linkKey(linkId);
    const socket = connectTls({
      ...LINK_TLS,
      ...to,
      pskCallback: () => ({ identity: linkId, psk }),
      checkServerIdentity: () => undefined,
    });
    return await new Promise((resolve) => {
      const timer = setTimeout(() => socket.destroy(), DIAL_MS);
      socket.on("error", (err) =>
        this.#deps.log.debug({ err }, "an API process was not reached for a preview"),
      );
      socket.once("close", () => resolve(null));
      socket.once("secureConnect", () => {
        clearTimeout(timer);
        resolve(socket);
      });
    });
  }

  async #serve(stream: ServerHttp2Stream, path: string): Promise<void> {
    stream.on("error", () => undefined);
    const connection = await this.#connect(Number(path.slice(1))).catch(() => FAILED);
    if (!connection.ok) {
      stream.respond({ ":status": 502, [LINK_REASON]: connection.reason }, { endStream: true });
      return;
    }
    const { stream: port } = connection;
    port.on("error", () => undefined);
    if (stream.destroyed) return void port.destroy();
    this.#open += 1;
    port.once("close", () => {
      this.#open -= 1;
      this.#lastAt = performance.now();
      stream.destroy();
    });
    stream.once("close", () => port.destroy());
    stream.respond({ ":status": 200 });
    stream.pipe(port).pipe(stream);
  }

  async #connect(port: number): Promise<PortConnection | typeof ASLEEP> {
    const sandbox = this.#isClosed ? null : await this.#sandbox();
    if (sandbox === null) return ASLEEP;
    const connection = await sandbox.connect(port);
    return !connection.ok && connection.reason === "gone" ? ASLEEP : connection;
  }
}

const ASLEEP = { ok: false, reason: "asleep" } as const;
const FAILED = { ok: false, reason: "failed" } as const;
