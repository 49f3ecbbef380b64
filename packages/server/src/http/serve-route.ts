import type { AnyRoute } from "@berth/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { authenticate, authenticateUser } from "./authenticate.ts";
import type { Context } from "./context.ts";
import { errors } from "./errors.ts";
import { headerValues } from "./header-values.ts";
import type { HttpApp } from "./http-app.ts";
import type { Asked } from "./perform.ts";
import { hasScope, type Principal } from "./principal.ts";

/** Has `respond` answer the requests of a route whose token is valid and has the scope. */
export function serveRoute(
  app: HttpApp,
  route: Pick<AnyRoute, "operation">,
  respond: (asked: Asked) => Promise<unknown>,
): void {
  const { operation } = route;
  const callers = new WeakMap<FastifyRequest, Principal>();
  app.fastify.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    config: { operation: operation.id },
    onRequest: async (request) => {
      const identify = operation.credential === "pat" ? authenticateUser : authenticate;
      const principal = await identify(request.raw, app.db, app.log);
      if (!hasScope(principal, operation.scope)) throw errors.scopeMissing(operation.scope ?? "");
      // It would be read, or kept as a file, as the encoding left it.
      const [encoding = "identity"] = headerValues(request.raw, "content-encoding");
      if (encoding.trim().toLowerCase() !== "identity") throw errors.encodedBody();
      callers.set(request, principal);
    },
    handler: async (request, reply) => {
      const principal = callers.get(request);
      if (principal === undefined) throw new Error("A request got past its authentication.");
      const context = contextOf(app, route, request, reply, principal);
      return await respond({ app, context, request, reply });
    },
  });
}

function contextOf(
  app: HttpApp,
  { operation }: Pick<AnyRoute, "operation">,
  request: FastifyRequest,
  reply: FastifyReply,
  principal: Principal,
): Context {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  return {
    operation,
    principal,
    db: app.db,
    afterwards: (then) => then(app.db),
    requestId: request.id,
    log: app.log.child({ request_id: request.id }),
    cursors: app.cursors,
    header: (name) => headerValues(request.raw, name)[0],
    signal: gone.signal,
  };
}
