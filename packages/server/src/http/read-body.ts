import type { IncomingMessage } from "node:http";
import { errors } from "./errors.ts";

const BODY_TIMEOUT_MS = 60_000;
const DRAIN_MS = 5_000;
/** How much of a body that is too large is still read, so that its sender gets to see the answer. */
const DRAIN_FACTOR = 8;

/**
 * The whole body of a request, at most `limit` bytes.
 *
 * @throws errors.bodyTooLarge after the rest was read and dropped, as far as that is bearable; errors.bodyCut.
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const timer = setTimeout(() => request.destroy(), BODY_TIMEOUT_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (size > limit * DRAIN_FACTOR) break;
    }
  } catch {
    throw errors.bodyCut();
  } finally {
    clearTimeout(timer);
  }
  if (size > limit) throw errors.bodyTooLarge(limit);
  return Buffer.concat(chunks);
}

/**
 * Reads on and drops what still comes, for a while and up to a bound, so that a sender that is refused in the middle
 * of a body gets to see why.
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
    // The sender has gone away: there is nobody to tell.
  } finally {
    clearTimeout(timer);
  }
}

/** A sender is cut off when nothing has come from one look to the next. */
const STALL_MS = 60_000;

/** Else one that never goes on would hold its connection, and what it has sent, for ever. Cleared as an interval is. */
export function cutOffWhenStalled(request: IncomingMessage): NodeJS.Timeout {
  let before = request.socket.bytesRead;
  return setInterval(() => {
    if (request.socket.bytesRead === before) request.destroy();
    before = request.socket.bytesRead;
  }, STALL_MS).unref();
}
