import type { IncomingMessage } from "node:http";
import { errors } from "@berth/store/errors";
import type { BodyShare } from "./body-budget.ts";

const BODY_TIMEOUT_MS = 60_000;
const DRAIN_MS = 5_000;
/** A body that is too large is read up to this multiple of the limit, so that the client gets the response. */
const DRAIN_FACTOR = 8;

export interface BodyLimits {
  /** Bytes. */
  limit: number;
  /** For the whole body; default a minute. */
  timeoutMs?: number;
  /** What it may hold of a budget. Default: all of `limit`. */
  share?: BodyShare;
}

/**
 * The whole body of a request, at most `limit` bytes.
 *
 * @throws errors.bodyTooLarge after the rest was read and dropped, up to a bound; errors.bodyCut; errors.tooManyBodies.
 */
export async function readBody(
  request: IncomingMessage,
  { limit, timeoutMs = BODY_TIMEOUT_MS, share }: BodyLimits,
): Promise<Buffer> {
  const timer = setTimeout(() => request.destroy(), timeoutMs);
  const chunks: Buffer[] = [];
  let size = 0;
  let fits = true;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      fits = size > limit || share === undefined || share.take(chunk.length);
      if (!fits) break;
      if (size <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (size > limit * DRAIN_FACTOR) break;
    }
  } catch {
    throw errors.bodyCut();
  } finally {
    clearTimeout(timer);
  }
  if (!fits) throw errors.tooManyBodies();
  if (size > limit) throw errors.bodyTooLarge(limit);
  return Buffer.concat(chunks);
}

/**
 * Reads and drops the rest of a body, for up to 5 seconds and `maxBytes`, so that a client that is still sending gets the
 * error response.
 */
export async function drain(request: IncomingMessage, maxBytes = 16_777_216): Promise<void> {
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  let size = 0;
  request.unpipe();
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch {
    // The client has disconnected.
  } finally {
    clearTimeout(timer);
  }
}

/** A client that sends nothing for this long is disconnected. */
const STALL_MS = 60_000;

/**
 * Otherwise a client that stalls would hold its connection, and the disk space of what it has sent, for ever. The caller
 * clears the returned interval.
 */
export function disconnectWhenStalled(request: IncomingMessage): NodeJS.Timeout {
  let before = request.socket.bytesRead;
  return setInterval(() => {
    if (request.socket.bytesRead === before) request.destroy();
    before = request.socket.bytesRead;
  }, STALL_MS).unref();
}
