import { Agent, type ClientRequestArgs } from "node:http";
import type { Duplex } from "node:stream";
import { Semaphore } from "@berth/concurrency";
import type { NoConnection, PreviewLinks } from "./preview-links.ts";

/** The port of a session that a preview shows. */
export interface PortOfSession {
  /** uuid. */
  session_id: string;
  port: number;
}

/** There is no connection to the port of a sandbox. */
export class NotConnectedError extends Error {
  readonly reason: NoConnection;
  readonly port: number;

  constructor(reason: NoConnection, port: number) {
    super(`no connection to port ${port} of a sandbox: ${reason}`);
    this.reason = reason;
    this.port = port;
  }
}

/** Requests to one port at once; others wait for one of them. Node's agent does not limit connections that open slowly. */
const MAX_REQUESTS = 20;
/** Milliseconds for which a connection waits for another request. */
const KEEP_ALIVE_MS = 5_000;

/** Connections to ports of sandboxes that are used for several requests, one after another. */
export class PortAgents {
  readonly #links: PreviewLinks;
  readonly #agents = new Map<string, PortAgent>();

  constructor(links: PreviewLinks) {
    this.#links = links;
  }

  /** Returns the agent for a port. A request fails with `NotConnectedError` when there is no connection. */
  of({ session_id: sessionId, port }: PortOfSession): PortAgent {
    const key = `${sessionId} ${port}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const agent = new PortAgent(
      () => connected(this.#links, sessionId, port),
      () => this.#agents.delete(key),
    );
    this.#agents.set(key, agent);
    return agent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

/** Opens a connection for one use. @throws NotConnectedError */
export async function connected(links: PreviewLinks, sessionId: string, port: number): Promise<Duplex> {
  const connection = await links.connect(sessionId, port);
  if (!connection.ok) throw new NotConnectedError(connection.reason, port);
  return asSocket(connection.stream);
}

/** An agent for one port. */
export class PortAgent extends Agent {
  readonly slots = new Semaphore(MAX_REQUESTS);
  readonly #connect: () => Promise<Duplex>;
  readonly #onUnused: () => void;
  #open = 0;

  /** @param onUnused Called when no connection is open any more. */
  constructor(connect: () => Promise<Duplex>, onUnused: () => void) {
    super({ keepAlive: true, timeout: KEEP_ALIVE_MS });
    this.#connect = connect;
    this.#onUnused = onUnused;
  }

  override createConnection(
    _options: ClientRequestArgs,
    done: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.#open += 1;
    const ended = () => {
      this.#open -= 1;
      if (this.#open === 0) this.#onUnused();
    };
    this.#connect().then(
      (stream) => {
        stream.once("close", ended);
        done(null, stream);
      },
      (error: Error) => {
        ended();
        (done as (error: Error) => void)(error);
      },
    );
  }
}

/** Adds what Node's HTTP client calls of a socket, and has no meaning for a stream over a link. */
function asSocket(stream: Duplex): Duplex {
  const same = () => stream;
  return Object.assign(stream, { setKeepAlive: same, setNoDelay: same, ref: same, unref: same });
}
