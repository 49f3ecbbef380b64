import type { Operation } from "@berth/contract";
import { networksOf } from "@berth/store/limits";
import type { FastifyRequest } from "fastify";
import type { HttpApp } from "./http-app.ts";
import { type RoutedRequest, readJsonBody } from "./read-input.ts";
import { admitBody } from "./serve-route.ts";

/** No body of an operation that needs no token is nearly as large. */
const OPEN_BODY_BYTES = 16_384;
/** From the first look at the body on. */
const OPEN_BODY_MS = 10_000;
/** Of all bodies of such operations that a process is receiving. */
export const OPEN_BODIES = { bytes: 512 * OPEN_BODY_BYTES, perOwner: 64 * OPEN_BODY_BYTES };

/**
 * Counts a request of an operation that needs no token, and lets its body come.
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

/** As `readJsonBody`, for an operation that needs no token: nobody answers for what it holds. */
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
