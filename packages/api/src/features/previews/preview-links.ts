import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { Duplex } from "node:stream";
import { Signal } from "@berth/concurrency";
import { newUuid } from "@berth/contract";
import type { Database } from "@berth/store/db";
import type { SessionHub } from "@berth/store/notify";
import { LINK_REASON, type LinkAddress, linkKey } from "@berth/store/session-log";
import { removeRead, storeRead, takeAnswer } from "../sessions/workspace/read-store.ts";
import { isHeld } from "./served-preview-store.ts";

export interface LinkDeps {
  db: Database;
  hub: Pick<SessionHub, "reads">;
  /** The installation's key. */
  secretKey: Uint8Array;
}

/**
 * Why there is no connection to a port. `asleep`: the session has no open sandbox. `not_listening`: no program
 * listens on the port. `full`: too many connections or processes. `unreachable`: the runner cannot connect to
 * this process. `failed`: anything else.
 */
export type NoConnection = "asleep" | "not_listening" | "full" | "unreachable" | "failed";

export type Connection = { ok: true; stream: Duplex } | { ok: false; reason: NoConnection };

/** Milliseconds for a runner to connect. */
const LINK_MS = 10_000;
/** Milliseconds after which it is asked again, because notifications may be lost. */
const ASK_AGAIN_MS = 1_000;
/** Milliseconds after its last connection when a link is closed. */
const IDLE_MS = 30_000;
const WINDOW_BYTES = 1024 * 1024;
const REASONS: ReadonlySet<string> = new Set<NoConnection>(["asleep", "not_listening", "full", "failed"]);

interface Link {
  session: ClientHttp2Session;
  /** Number of open connections. */
  streams: number;
  idle?: NodeJS.Timeout;
}

/**
 * Connections to ports of sandboxes, which only the runners that hold their sessions can open. A runner is
 * asked for a link by a row, as for a read of the disk, and connects to this process. All connections to the
 * session's sandbox then pass through the link.
 */
export class PreviewLinks {
  readonly #deps: LinkDeps;
  /** Addresses of this process for runners. */
  #addresses: readonly LinkAddress[] = [];
  readonly #links = new Map<string, Promise<Link | NoConnection>>();
  /** Links that runners were asked for. Each is used once. */
  readonly #asked = new Map<string, (session: ClientHttp2Session) => void>();
  readonly #closing = new AbortController();

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  /** Sets the addresses at which `accepted` gets connections. Default: none. */
  set addresses(addresses: readonly LinkAddress[]) {
    this.#addresses = addresses;
  }

  /** Returns the key of a link that a runner was asked for, for TLS; null for any other. */
  keyOf(linkId: string): Buffer | null {
    return this.#asked.has(linkId) ? linkKey(this.#deps.secretKey, linkId) : null;
  }

  /** Takes the connection of a runner, which has proved that it has the key of the link. */
  accepted(linkId: string, socket: Duplex): void {
    const use = this.#asked.get(linkId);
    if (use === undefined) return void socket.destroy();
    this.#asked.delete(linkId);
    const session = connect("http://sandbox", {
      createConnection: () => socket,
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
    });
    session.on("error", () => undefined);
    use(session);
  }

  /** Opens a connection. @param sessionId a uuid. */
  async connect(sessionId: string, port: number): Promise<Connection> {
    const deadline = performance.now() + LINK_MS;
    do {
      const asking = this.#link(sessionId);
      const link = await asking;
      if (typeof link === "string") return { ok: false, reason: link };
      const connection = await this.#open(link, port);
      if (connection !== null) return connection;
      // A runner ends its links when it no longer has the session. Then another may have it, or none.
      this.#forget(sessionId, asking);
    } while (performance.now() < deadline);
    return { ok: false, reason: "failed" };
  }

  /** Closes all links. Connections break off. */
  close(): void {
    this.#closing.abort();
    for (const link of this.#links.values())
      void link.then((one) => (typeof one === "string" ? undefined : one.session.destroy()));
  }

  #link(sessionId: string): Promise<Link | NoConnection> {
    const known = this.#links.get(sessionId);
    if (known !== undefined) return known;
    const forget = () => this.#forget(sessionId, asking);
    const asking = this.#ask(sessionId).then((session): Link | NoConnection => {
      if (typeof session === "string") {
        forget();
        return session;
      }
      session.once("close", forget);
      if (session.destroyed) forget();
      const link = { session, streams: 0 };
      rest(link);
      return link;
    });
    this.#links.set(sessionId, asking);
    asking.catch(forget);
    return asking;
  }

  #forget(sessionId: string, asking: Promise<Link | NoConnection>): void {
    if (this.#links.get(sessionId) === asking) this.#links.delete(sessionId);
  }

  async #ask(sessionId: string): Promise<ClientHttp2Session | NoConnection> {
    const { db, hub } = this.#deps;
    if (!(await isHeld(db.read, sessionId))) return "asleep";
    const [id, linkId] = [newUuid(), newUuid()];
    const news = new Signal();
    let session: ClientHttp2Session | undefined;
    this.#asked.set(linkId, (given) => {
      session = given;
      news.set();
    });
    const stopListening = hub.reads.onAnswered(sessionId, news.set);
    const deadline = performance.now() + LINK_MS;
    try {
      const request = { kind: "link" as const, linkId, addresses: [...this.#addresses] };
      const read = { id, sessionId, request, ttlMs: LINK_MS, opens: false };
      if (!(await storeRead(db.write, read))) return "full";
      while (performance.now() < deadline && !this.#closing.signal.aborted) {
        hub.reads.publish(sessionId, "asked");
        for (let isWoken = true; isWoken; ) {
          isWoken = await news.waitFor(ASK_AGAIN_MS);
          news.reset();
          if (session !== undefined) return session;
          const taken = await takeAnswer<"link">(db.write, id);
          if (taken !== null && !taken.answer.ok)
            return taken.answer.reason === "unreachable" ? "unreachable" : "failed";
          if (taken !== null) await news.waitFor(Math.max(0, deadline - performance.now()));
          if (session !== undefined) return session;
        }
        if (!(await isHeld(db.read, sessionId))) return "asleep";
      }
      return "failed";
    } finally {
      stopListening();
      this.#asked.delete(linkId);
      await removeRead(db.write, id).catch(() => undefined);
    }
  }

  /** Opens a connection over a link. Returns null when the link has ended. */
  async #open(link: Link, port: number): Promise<Connection | null> {
    if (link.session.destroyed || link.session.closed) return null;
    const stream = link.session.request({ ":method": "POST", ":path": `/${port}` }, { endStream: false });
    link.streams += 1;
    clearTimeout(link.idle);
    stream.once("close", () => {
      link.streams -= 1;
      if (link.streams === 0) rest(link);
    });
    stream.on("error", () => undefined);
    const reason = await answerOf(stream);
    if (reason === undefined) return { ok: true, stream };
    stream.close(constants.NGHTTP2_CANCEL);
    return reason === null ? null : { ok: false, reason };
  }
}

/** Closes a link when it has had no connection for a while. */
function rest(link: Link): void {
  link.idle = setTimeout(() => link.session.close(), IDLE_MS).unref();
}

/** Resolves with undefined for a connection, the reason why there is none, or null when the link has ended. */
async function answerOf(stream: ClientHttp2Stream): Promise<NoConnection | null | undefined> {
  return await new Promise((resolve) => {
    stream.once("response", (headers) => {
      const reason = String(headers[LINK_REASON] ?? "failed");
      if (headers[":status"] === 200) resolve(undefined);
      else resolve(REASONS.has(reason) ? (reason as NoConnection) : "failed");
    });
    stream.once("close", () => resolve(null));
  });
}
