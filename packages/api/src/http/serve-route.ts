import { type AnyRoute, type Operation, parseId } from "@berth/contract";
import { type Administrator, checkAdministers, hasScope, type Principal } from "@berth/store/access";
import type { DatabaseAccess } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, RequestScope } from "../request/request-scope.ts";
import { notePrincipal, traceparentOf } from "./access-log.ts";
import { auditEntryOf } from "./audited.ts";
import { authenticateAdministrator, authenticateCaller, authenticateUser } from "./authenticate-caller.ts";
import { checkDryRun } from "./dry-run.ts";
import { acceptBody } from "./expected-body.ts";
import { headerValues } from "./headers.ts";
import type { HttpApp, IncomingRequest } from "./http-app.ts";

/** Maximum bytes of a form besides its files. */
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
    noteCaller(request, reply, principal);
    await app.limits.takeRequest(principal);
    if (!hasScope(principal, operation.scope) && !namesOwnToken(operation, request, principal))
      throw errors.scopeMissing(operation.scope ?? "");
    return { ...principal, needs: operation.access };
  };
  serveAs(app, operation, admit, handle);
}

/** Calls `handle` for the requests of an operation of administration that an administrator may call. */
export function serveAdministration(
  app: HttpApp,
  { operation }: Pick<AnyRoute, "operation">,
  handle: (incoming: IncomingRequest<Administrator>) => Promise<unknown>,
): void {
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const administrator = await authenticateAdministrator(request.raw, app);
    noteCaller(request, reply, administrator);
    await app.limits.takeRequest(administrator);
    if (administrator.kind === "operator") return administrator;
    checkAdministers(administrator, operation);
    return { ...administrator, needs: operation.access };
  };
  serveAs(app, operation, admit, handle);
}

function noteCaller(request: FastifyRequest, reply: FastifyReply, caller: Caller): void {
  // Caches do not share responses to requests with `Authorization`, but they would with a cookie.
  if (caller.kind !== "operator" && caller.signedInBy !== null) reply.header("cache-control", "no-store");
  notePrincipal(request, caller);
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
      if (principal === undefined) throw new Error("A request was not authenticated.");
      const scope = scopeOf(app, operation, request, principal);
      checkDryRun(scope);
      return await app.heavyRequests.run(principal.id, operation, request, reply, () =>
        handle({ app, scope, request, reply }),
      );
    },
  });
}

/** Returns whether a request is about its own token, where every token may act on itself. */
function namesOwnToken({ ownToken }: Operation, { params }: FastifyRequest, { tokenId }: Principal): boolean {
  const { token_id: named } = params as { token_id?: string };
  return ownToken === true && named !== undefined && parseId("token", named) === tokenId;
}

/** Lets the client send the body. @throws before that for a body that would not be read. */
export function admitBody(app: HttpApp, operation: Operation, { raw }: FastifyRequest): void {
  // Bodies are not decoded: an encoded one would be stored as received.
  const [encoding = "identity"] = headerValues(raw, "content-encoding");
  if (encoding.trim().toLowerCase() !== "identity") throw errors.encodedBody();
  acceptBody(raw, bodyLimit(app, operation));
}

/** Returns the maximum bytes of the operation's request bodies. */
function bodyLimit({ jsonLimit, uploadLimit }: HttpApp, { body }: Operation): number {
  if (body === "bytes") return uploadLimit;
  return body === "multipart" ? Math.max(jsonLimit, uploadLimit + FORM_BYTES) : jsonLimit;
}

/** Returns the scope of a request. */
export function scopeOf<Who extends Caller>(
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
