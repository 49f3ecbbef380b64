import type { AnyRoute } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { FastifyRequest } from "fastify";
import type { OpenScope } from "../request/request-scope.ts";
import { checkDryRun } from "./dry-run.ts";
import { headerValues, productOf } from "./headers.ts";
import type { HttpApp } from "./http-app.ts";
import { admitOpenRequest } from "./open-body.ts";
import { sendJson } from "./respond.ts";

/** A request without a principal. */
interface OpenRequest {
  app: HttpApp;
  scope: OpenScope;
  request: FastifyRequest;
}

/**
 * Calls `handle` for the requests of a route that needs no token, within the limit of the client's address.
 * Ignores a token, and so an idempotency key, which would belong to the token.
 */
export function serveOpenRoute(
  app: HttpApp,
  route: Pick<AnyRoute, "operation">,
  handle: (incoming: OpenRequest) => Promise<unknown>,
): void {
  const { operation } = route;
  app.fastify.route({
    method: operation.method,
    url: operation.path,
    config: { operation: operation.id },
    onRequest: async (request) => {
      await admitOpenRequest(app, operation, request);
    },
    handler: async (request, reply) => {
      const header = (name: string) => headerValues(request.raw, name)[0];
      checkDryRun({ operation, header });
      const scope: OpenScope = {
        operation,
        db: app.db,
        requestId: request.id,
        client: app.clients.of(request.raw),
        userAgent: productOf(header("user-agent")),
        origin: originOf(app, header("host")),
      };
      if (operation.confidential === true) reply.header("cache-control", "no-store");
      return sendJson(reply, 200, JSON.stringify(await handle({ app, scope, request })));
    },
  });
}

function originOf({ tls }: HttpApp, host = ""): string {
  const origin = URL.parse(`${tls === undefined ? "http" : "https"}://${host}`)?.origin;
  if (origin === undefined) throw errors.invalid("The header 'Host' is not valid.");
  return origin;
}
