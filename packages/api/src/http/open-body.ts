import type { Operation } from "@berth/contract";
import { networksOf } from "@berth/store/limits";
import type { FastifyRequest } from "fastify";
import type { HttpApp } from "./http-app.ts";
import { type RoutedRequest, readJsonBody } from "./read-input.ts";
import { admitBody } from "./serve-route.ts";

/** Maximum bytes of a body of an operation that needs no token. All are far smaller. */
const OPEN_BODY_BYTES = 16_384;
/** Milliseconds for receiving such a body. */
const OPEN_BODY_MS = 10_000;
/** Memory for all such bodies that a process is receiving, and for those of one network. */
export const OPEN_BODIES = { bytes: 512 * OPEN_BODY_BYTES, perOwner: 64 * OPEN_BODY_BYTES };

/**
 * Counts a request of an operation that needs no token, and lets the client send its body.
 *
 * @throws errors.overLimit, and as `admitBody`.
 */
export async function admitOpenRequest(
  app: HttpApp,
  operation: Operation,
  request: FastifyRequest,
): Promise<void> {
  await app.addressRates.takeWithoutToken(app.clients.of(request.raw));
  admitBody({ ...app, jsonLimit: OPEN_BODY_BYTES }, operation, request);
}

/** Reads a JSON body of an operation without a token, within the memory for such bodies. */
export async function readOpenBody(incoming: RoutedRequest): Promise<Buffer> {
  const { app, request } = incoming;
  const widest = networksOf(app.clients.of(request.raw)).at(-1)?.id ?? "";
  const share = app.openBodies.share(widest);
  try {
    return await readJsonBody(incoming, { limit: OPEN_BODY_BYTES, timeoutMs: OPEN_BODY_MS, share });
  } finally {
    share.release();
  }
}
