import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import type { AnyRoute, Input, ResponseOf } from "@berth/contract";
import type { Context } from "./context.ts";
import type { Created } from "./created.ts";
import type { HttpApp } from "./http-app.ts";
import type { JsonText } from "./json-text.ts";
import { perform } from "./perform.ts";
import { inputOf, jsonBodyOf, none } from "./read-input.ts";
import { requestIdHeaders } from "./request-id.ts";
import { serveRoute } from "./serve-route.ts";

/** Answers a route: knows what was asked and by whom, and nothing of HTTP. */
export type Handler<R extends AnyRoute> = (
  context: Context,
  input: Input<R>,
) => Promise<ResponseOf<R> | JsonText | Created<ResponseOf<R>>>;

/** Answers the bytes of something: 200, 206 with a part of them, or 304 without any when the caller has them already. */
export type ContentHandler<R extends AnyRoute> = (
  context: Context,
  input: Input<R>,
) => Promise<{ status: 200 | 206 | 304; headers: Record<string, string>; body?: Readable }>;

/** Checks everything that can be refused, and answers what then writes the stream over the response. */
export type StreamHandler<R extends AnyRoute> = (
  context: Context,
  input: Input<R>,
) => Promise<(response: ServerResponse) => Promise<void>>;

/**
 * Puts a route of the contract on a handler. What is checked, in order: the route, the token, its scope, the query
 * and the body; what exists, whose it is and its state are the handler's to check.
 */
export function mount<R extends AnyRoute>(app: HttpApp, route: R, handler: Handler<R>): void {
  serveRoute(app, route, async (asked) => {
    const bytes = await jsonBodyOf(asked);
    const input = inputOf(asked, route, bytes);
    return await perform(asked, [bytes], (context) => handler(context, input));
  });
}

/** As `mount`, for a route that answers bytes. */
export function mountContent<R extends AnyRoute>(app: HttpApp, route: R, handler: ContentHandler<R>): void {
  serveRoute(app, route, async (asked) => {
    const { status, headers, body } = await handler(asked.context, inputOf(asked, route, none));
    return asked.reply.code(status).headers(headers).send(body);
  });
}

/** As `mount`, for a route that answers a stream which stays open; it is ended when the service stops. */
export function mountStream<R extends AnyRoute>(app: HttpApp, route: R, handler: StreamHandler<R>): void {
  serveRoute(app, route, async (asked) => {
    const { context, request, reply } = asked;
    const write = await handler(context, inputOf(asked, route, none));
    reply.hijack();
    const response = reply.raw;
    for (const [name, value] of Object.entries(requestIdHeaders(request.id))) response.setHeader(name, value);
    app.streams.add(response);
    response.once("close", () => app.streams.delete(response));
    write(response).catch((error: unknown) => {
      context.log.error({ err: error }, "a stream failed");
      response.destroy();
    });
  });
}
