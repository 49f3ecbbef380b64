import { type AnyRoute, type Operation, parseId } from "@berth/contract";
import { hasScope, type Operator, type Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, RequestScope } from "../request/request-scope.ts";
import { notePrincipal, traceparentOf } from "./access-log.ts";
import { auditEntryOf } from "./audited.ts";
import { authenticateOperator } from "./authenticate.ts";
import { authenticateCaller, authenticateUser } from "./authenticate-caller.ts";
import { checkDryRun } from "./dry-run.ts";
import { acceptBody } from "./expected-body.ts";
import { headerValues } from "./headers.ts";
import type { HttpApp } from "./http-app.ts";
import type { IncomingRequest } from "./respond.ts";

/** What a form may have beside its files. */
const FORM_BYTES = 1_048_576;

/** Calls `handle` for the requests of a route whose token is valid and has the scope. */
export function serveRoute(
  app: HttpApp,
  { operation }: Pick<AnyRoute, "operation">,
  handle: (incoming: IncomingRequest) => Promise<unknown>,
): void {
  const identify = operation.credential === "pat" ? authenticateUser : authenticateCaller;
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const principal = await identify(request.raw, app);
    // Caches know by the header `Authorization` that a response is not for others; by a cookie they do not.
    if (principal.signedInBy !== null) reply.header("cache-control", "no-store");
    notePrincipal(request, principal);
    await app.limits.takeRequest(principal);
    if (!hasScope(principal, operation.scope) && !namesOwnToken(operation, request, principal))
      throw errors.scopeMissing(operation.scope ?? "");
    return principal;
  };
  serveAs(app, operation, admit, handle);
}

/** Calls `handle` for the requests of a route whose token is a valid operator token. */
export function serveOperatorRoute(
  app: HttpApp,
  { operation }: Pick<AnyRoute, "operation">,
  handle: (incoming: IncomingRequest<Operator>) => Promise<unknown>,
): void {
  const admit = async (request: FastifyRequest) => {
    const operator = await authenticateOperator(request.raw, app);
    notePrincipal(request, operator);
    await app.limits.takeRequest(operator);
    return operator;
  };
  serveAs(app, operation, admit, handle);
}

function serveAs<Who extends Caller>(
  app: HttpApp,
  operation: Operation,
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Who>,
  handle: (incoming: IncomingRequest<Who>) => Promise<unknown>,
): void {
  const admitted = new WeakMap<FastifyRequest, Who>();
  app.fastify.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    config: { operation: operation.id },
    onRequest: async (request, reply) => {
      admitted.set(request, await admit(request, reply));
      admitBody(app, operation, request);
    },
    handler: async (request, reply) => {
      const principal = admitted.get(request);
      if (principal === undefined) throw new Error("A request got past its authentication.");
      const scope = scopeOf(app, operation, request, principal);
      checkDryRun(scope);
      return await app.heavyRequests.run(principal.id, operation, request, reply, () =>
        handle({ app, scope, request, reply }),
      );
    },
  });
}

/** Whether the request is about the token that it carries, in an operation that every token may do to itself. */
function namesOwnToken({ ownToken }: Operation, { params }: FastifyRequest, { tokenId }: Principal): boolean {
  const { token_id: named } = params as { token_id?: string };
  return ownToken === true && named !== undefined && parseId("token", named) === tokenId;
}

/** @throws for a body that is not read, before it is sent. */
export function admitBody(app: HttpApp, operation: Operation, { raw }: FastifyRequest): void {
  // Bodies are not decoded: an encoded one would be stored as it came.
  const [encoding = "identity"] = headerValues(raw, "content-encoding");
  if (encoding.trim().toLowerCase() !== "identity") throw errors.encodedBody();
  acceptBody(raw, bodyLimit(app, operation));
}

/** The largest body that any request of the operation may have. */
function bodyLimit({ jsonLimit, uploadLimit }: HttpApp, { body }: Operation): number {
  if (body === "bytes") return uploadLimit;
  return body === "multipart" ? Math.max(jsonLimit, uploadLimit + FORM_BYTES) : jsonLimit;
}

function scopeOf<Who extends Caller>(
  app: HttpApp,
  operation: Operation,
  request: FastifyRequest,
  principal: Who,
): RequestScope<Who> {
  const scope = {
    operation,
    principal,
    db: app.db,
    afterCommit: (then: (db: DatabaseAccess) => unknown) => then(app.db),
    requestId: request.id,
    traceparent: traceparentOf(request),
    client: app.clients.of(request.raw),
    address: () => app.origin.forLinks(request.raw),
    cursors: app.cursors,
    header: (name: string) => headerValues(request.raw, name)[0],
  };
  return { ...scope, auditEntry: (created) => auditEntryOf(scope, request.params, created) };
}
