import type { Operation } from "@berth/contract";
import { networksOf } from "@berth/store/limits";
import type { FastifyRequest } from "fastify";
import { OPEN_BODY_BYTES } from "./body-budget.ts";
import type { HttpApp } from "./http-app.ts";
import { type RoutedRequest, readJsonBody } from "./read-input.ts";
import { admitBody } from "./serve-route.ts";

/** Milliseconds for receiving a body of an operation that needs no token. */
const OPEN_BODY_MS = 10_000;

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
