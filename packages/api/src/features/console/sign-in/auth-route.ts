import { type Operation, parseInput } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { checkOrigin } from "../../../http/check-origin.ts";
import { headerValues, productOf } from "../../../http/headers.ts";
import type { HttpApp } from "../../../http/http-app.ts";
import { admitOpenRequest, readOpenBody } from "../../../http/open-body.ts";
import { parseJson } from "../../../http/parse-json.ts";
import { protectRoute } from "../pages/policies.ts";
import type { SignInScope } from "./sign-in.ts";

/** A request that signs in or out. */
export interface AuthRequest {
  scope: SignInScope;
  /** Origin of the service as this browser sees it. */
  origin: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Returns the operation that names a request to sign in or out in the log, the metrics and the audit log. */
export function authOperation(
  id: string,
  { method = "POST", path, body = "none" }: Partial<Pick<Operation, "method" | "body">> & { path: string },
): Operation {
  const name = `console.${id}`;
  return {
    ...{ id: name, method, path: `/console/auth${path}`, body },
    ...{
      summary: name,
      scope: null,
      access: "own",
      credential: "none",
      responseKind: "object",
      conflicts: [],
    },
  };
}

/** Mounts a request that signs in or out, which only pages of this origin may send. The response is 204. */
export function mountAuth<S extends z.ZodType>(
  app: HttpApp,
  operation: Operation,
  schema: S,
  handle: (request: AuthRequest, body: z.output<S>) => Promise<void>,
): void {
  app.fastify.route({
    method: operation.method,
    url: operation.path,
    config: { operation: operation.id },
    onRequest: [
      protectRoute,
      async (request, reply) => {
        reply.header("cache-control", "no-store");
        checkOrigin(request.raw, app.origin.of(request.raw));
        await admitOpenRequest(app, operation, request);
      },
    ],
    handler: async (request, reply) => {
      const bytes = await readOpenBody({ app, scope: { operation }, request });
      const parsed = parseInput(schema, bytes.length === 0 ? undefined : parseJson(bytes));
      if ("error" in parsed) throw errors.fault(parsed.error);
      await handle(authRequest(app, operation, request, reply), parsed.data);
      return reply.code(204).send();
    },
  });
}

/** Collects what signing in or out needs of a request. @throws errors.unknownHost */
export function authRequest(
  app: HttpApp,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): AuthRequest {
  const { raw } = request;
  const origin = app.origin.of(raw);
  if (origin === null) throw errors.unknownHost(raw.headers.host ?? "");
  const scope = {
    operation,
    requestId: request.id,
    client: app.clients.of(raw),
    userAgent: productOf(headerValues(raw, "user-agent")[0]),
  };
  return { scope, origin, request, reply };
}
