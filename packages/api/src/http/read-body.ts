import type { IncomingMessage } from "node:http";
import { errors } from "@berth/store/errors";
import type { BodyShare } from "./body-budget.ts";

const BODY_TIMEOUT_MS = 60_000;
const DRAIN_MS = 5_000;
/** Multiple of the limit up to which a body is read, so that the client gets the error response. */
const DRAIN_FACTOR = 8;

export interface BodyLimits {
  /** Maximum bytes. */
  limit: number;
  /** Milliseconds for the whole body. Default: 60,000. */
  timeoutMs?: number;
  /** Share of a memory budget. Default: none; only `limit` applies. */
  share?: BodyShare;
  /** Returns the error for a body of more than `limit` bytes. Default: `errors.bodyTooLarge`. */
  tooLarge?: (limit: number) => Error;
}

/**
 * Reads the whole body of a request, at most `limit` bytes.
 *
 * @throws errors.bodyTooLarge after the rest was read and discarded, up to a bound; errors.bodyCut;
 * errors.tooManyBodies.
 */
export async function readBody(
  request: IncomingMessage,
  { limit, timeoutMs = BODY_TIMEOUT_MS, share, tooLarge = errors.bodyTooLarge }: BodyLimits,
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
  if (size > limit) throw tooLarge(limit);
  return Buffer.concat(chunks);
}

/**
 * Reads and discards the rest of a body, so that a client that is still sending gets the error response.
 * Stops after 5 seconds, or `maxBytes` (default 16 MiB).
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
    // The client has disconnected, so nothing is left to read.
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds after which a client that sends nothing is disconnected. */
const STALL_MS = 60_000;

/**
 * Disconnects a client that stalls, which otherwise would hold its connection, and the disk space of what it
 * has sent, forever. The caller clears the returned interval.
 */
export function disconnectWhenStalled(request: IncomingMessage): NodeJS.Timeout {
  let before = request.socket.bytesRead;
  return setInterval(() => {
    if (request.socket.bytesRead === before) request.destroy();
    before = request.socket.bytesRead;
  }, STALL_MS).unref();
}
