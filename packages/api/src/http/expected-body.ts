import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { errors } from "@berth/store/errors";

/** Requests whose clients wait for a response before they send the body. */
const WAITING = new WeakMap<IncomingMessage, ServerResponse>();

/** Handles requests with `Expect: 100-continue`, whose clients send no body before `acceptBody`. */
export function holdBackBodies(server: Server): void {
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    WAITING.set(request, response);
    server.emit("request", request, response);
  });
}

/**
 * Lets a waiting client send the body. Called once the request is authorized.
 *
 * @throws errors.bodyTooLarge when the client waits and has announced more than `limit` bytes.
 */
export function acceptBody(request: IncomingMessage, limit: number): void {
  const response = WAITING.get(request);
  if (response === undefined) return;
  if (Number(request.headers["content-length"] ?? 0) > limit) throw errors.bodyTooLarge(limit);
  WAITING.delete(request);
  response.writeContinue();
}

/** Returns whether the client still waits, so that its next bytes may be the body or another request. */
export function isBodyHeldBack(request: IncomingMessage): boolean {
  return WAITING.has(request);
}
