import type { IncomingMessage, ServerResponse } from "node:http";
import { FairSemaphore } from "@berth/concurrency";
import type { Operation } from "@berth/contract";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Of one user or service account, in each process. */
const AT_ONCE = 8;
/** Bytes of a JSON body from which on a request is heavy. */
const LARGE_BODY = 65_536;
/** A client that takes nothing of its response for so long is disconnected. */
const UNREAD_MS = 60_000;
/** Lists that wait for a sandbox, and cost this process little. */
const LIGHT_LISTS: ReadonlySet<string> = new Set(["workspace.list"]);

/**
 * Requests that may take megabytes: pages of lists, and large JSON bodies. Of each user some are handled at once, until their responses have
 * been received; the others wait in their order. So the requests of others are between them, and what they hold in memory is bounded.
 */
export class HeavyRequests {
  readonly #slots = new FairSemaphore({ slots: Number.POSITIVE_INFINITY, perOwner: AT_ONCE });
  readonly #unreadMs: number;

  constructor(unreadMs = UNREAD_MS) {
    this.#unreadMs = unreadMs;
  }

  /** Handles a request, which is heavy or not. @param owner a uuid. */
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
