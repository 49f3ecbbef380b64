import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { AnyRoute, Input, ResponseOf } from "@berth/contract";
import type { Administrator } from "@berth/store/access";
import type { FastifyReply } from "fastify";
import type { Caller, OpenScope, RequestScope } from "../request/request-scope.ts";
import type { Created, JsonText } from "../request/response-body.ts";
import { requestFields } from "./access-log.ts";
import { commonHeaders } from "./headers.ts";
import type { HttpApp, IncomingRequest } from "./http-app.ts";
import { readOpenBody } from "./open-body.ts";
import { NO_BODY, parseRequest, readJsonBody } from "./read-input.ts";
import { respond } from "./respond.ts";
import { noteEnd } from "./response-end.ts";
import { serveOpenRoute } from "./serve-open-route.ts";
import { serveAdministration, serveRoute } from "./serve-route.ts";

/** Serves a route from its input and its scope alone. */
export type Handler<R extends AnyRoute> = (
  request: RequestScope,
  input: Input<R>,
) => Promise<ResponseOf<R> | JsonText | Created<ResponseOf<R>>>;

/** Bytes: 200, 206 with a range of them, or 304 without any when the client has them already. */
export interface Contents {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  body?: Readable;
}

/** Serves bytes. */
export type ContentHandler<R extends AnyRoute> = (
  request: RequestScope,
  input: Input<R>,
) => Promise<Contents>;

/** Makes all checks, and returns the function that writes the stream. */
export type StreamHandler<R extends AnyRoute> = (
  request: RequestScope,
  input: Input<R>,
) => Promise<(response: ServerResponse) => Promise<void>>;

/**
 * Mounts a route of the contract. Checks are made in this order: the route, the token, its scope, the query
 * and the body. The handler checks existence, ownership and state.
 */
export function mount<R extends AnyRoute>(app: HttpApp, route: R, handler: Handler<R>): void {
  serve(app, route, handler);
}

/** Mounts a route whose handler stores the audit entry itself, in one statement with its changes. */
export function mountSelfAudited<R extends AnyRoute>(app: HttpApp, route: R, handler: Handler<R>): void {
  serve(app, route, handler, false);
}

function serve<R extends AnyRoute>(app: HttpApp, route: R, handler: Handler<R>, isAudited?: boolean): void {
  serveRoute(app, route, async (incoming) => {
    const bytes = await readJsonBody(incoming);
    const input = parseRequest(incoming, route, bytes);
    return await respond(incoming, [bytes], (scope) => handler(scope, input), isAudited);
  });
}

/** Serves an operation that needs no token. */
export type OpenHandler<R extends AnyRoute> = (request: OpenScope, input: Input<R>) => Promise<ResponseOf<R>>;

/** Mounts an operation without a token. The handler commits itself, even when it then throws. */
export function mountOpen<R extends AnyRoute>(app: HttpApp, route: R, handler: OpenHandler<R>): void {
  serveOpenRoute(app, route, async (incoming) => {
    const input = parseRequest(incoming, route, await readOpenBody(incoming));
    return await handler(incoming.scope, input);
  });
}

/** Serves an operation of administration. */
export type AdministrationHandler<R extends AnyRoute> = (
  request: RequestScope<Administrator>,
  input: Input<R>,
) => Promise<ResponseOf<R>>;

/** Mounts an operation of administration. The handler stores the audit entry itself. */
export function mountAdministration<R extends AnyRoute>(
  app: HttpApp,
  route: R,
  handler: AdministrationHandler<R>,
): void {
  serveAdministration(app, route, async (incoming) => {
    const bytes = await readJsonBody(incoming);
    const input = parseRequest(incoming, route, bytes);
    return await respond(incoming, [bytes], (scope) => handler(scope, input), false);
  });
}

/** Mounts a route whose response is bytes. */
export function mountContent<R extends AnyRoute>(app: HttpApp, route: R, handler: ContentHandler<R>): void {
  serveRoute(app, route, async (incoming) =>
    sendContent(incoming, await handler(incoming.scope, parseRequest(incoming, route, NO_BODY))),
  );
}

/** Mounts an operation of administration whose response is bytes. */
export function mountAdministrationContent<R extends AnyRoute>(
  app: HttpApp,
  route: R,
  handler: (request: RequestScope<Administrator>, input: Input<R>) => Promise<Contents>,
): void {
  serveAdministration(app, route, async (incoming) =>
    sendContent(incoming, await handler(incoming.scope, parseRequest(incoming, route, NO_BODY))),
  );
}

function sendContent({ reply }: IncomingRequest<Caller>, { status, headers, body }: Contents): FastifyReply {
  return reply.code(status).headers(headers).send(body);
}

/** Mounts a route whose response is a stream that stays open. The stream is ended when the service stops. */
export function mountStream<R extends AnyRoute>(app: HttpApp, route: R, handler: StreamHandler<R>): void {
  serveRoute(app, route, async (incoming) => {
    const { scope, request, reply } = incoming;
    const write = await handler(scope, parseRequest(incoming, route, NO_BODY));
    reply.hijack();
    const response = reply.raw;
    for (const [name, value] of Object.entries(commonHeaders(request.id))) response.setHeader(name, value);
    app.streams.add(response);
    response.once("close", () => app.streams.delete(response));
    write(response).catch((error: unknown) => {
      app.log.error({ err: error, ...requestFields(request) }, "a stream failed");
      noteEnd(response, "failed");
      response.destroy();
    });
  });
}
