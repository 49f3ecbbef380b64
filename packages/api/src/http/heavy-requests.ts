import type { IncomingMessage, ServerResponse } from "node:http";
import { FairSemaphore } from "@berth/concurrency";
import type { Operation } from "@berth/contract";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Maximum concurrent heavy requests of one user or service account, in each process. */
const AT_ONCE = 8;
/** Bytes of a JSON body above which a request is heavy. */
const LARGE_BODY = 65_536;
/** Milliseconds after which a client that reads nothing of its response is disconnected. */
const UNREAD_MS = 60_000;
/** Lists that wait for a sandbox, and cost this process little. */
const LIGHT_LISTS: ReadonlySet<string> = new Set(["workspace.list"]);

/**
 * Limits requests that may take megabytes: pages of lists, and large JSON bodies. A few of each user run at
 * once, until their responses are received; the others wait in order. So requests of other users are not
 * delayed, and memory is bounded.
 */
export class HeavyRequests {
  readonly #slots = new FairSemaphore({ slots: Number.POSITIVE_INFINITY, perOwner: AT_ONCE });
  readonly #unreadMs: number;

  constructor(unreadMs = UNREAD_MS) {
    this.#unreadMs = unreadMs;
  }

  /** Handles a request, at once unless it is heavy. @param owner a uuid. */
  async run<Handled>(
    owner: string,
    operation: Operation,
    { raw: request }: FastifyRequest,
    { raw: response }: FastifyReply,
    handle: () => Promise<Handled>,
  ): Promise<Handled> {
    if (!isHeavy(operation, request)) return await handle();
    const release = await this.#slots.acquire(owner);
    if (hasEnded(response)) release();
    else for (const end of ["finish", "close"]) response.once(end, release);
    const handled = await handle();
    response.socket?.setTimeout(this.#unreadMs);
    return handled;
  }
}

function isHeavy(
  { responseKind, body, id }: Operation,
  { headers: { "content-length": length, "transfer-encoding": encoding } }: IncomingMessage,
): boolean {
  if (responseKind === "page") return !LIGHT_LISTS.has(id);
  return body === "json" && (encoding !== undefined || Number(length ?? 0) > LARGE_BODY);
}

function hasEnded(response: ServerResponse): boolean {
  return response.writableFinished || response.closed;
}
