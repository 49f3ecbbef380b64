import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { type Answer, type AnyRoute, faultMessage, firstFault, type Input } from "@berth/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { authenticate } from "./authenticate.ts";
import type { Context } from "./context.ts";
import { errors } from "./errors.ts";
import { headerValues } from "./header-values.ts";
import type { HttpApp } from "./http-app.ts";
import type { JsonText } from "./json-text.ts";
import { parseJson } from "./parse-json.ts";
import { parseQuery } from "./parse-query.ts";
import { perform } from "./perform.ts";
import { hasScope, type Principal } from "./principal.ts";
import { readBody } from "./read-body.ts";
import { requestIdHeaders } from "./request-id.ts";

/** Answers a route: knows what was asked and by whom, and nothing of HTTP. */
export type Handler<R extends AnyRoute> = (
  context: Context,
  input: Input<R>,
) => Promise<Answer<R> | JsonText>;

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
  serve(app, route, async (context, request, reply) => {
    const bytes = await bodyOf(app, route, request);
    const input = inputOf(route, request, bytes);
    return await perform({ app, context, request, reply }, [bytes], (asked) => handler(asked, input));
  });
}

/** As `mount`, for a route that answers bytes. */
export function mountContent<R extends AnyRoute>(app: HttpApp, route: R, handler: ContentHandler<R>): void {
  serve(app, route, async (context, request, reply) => {
    const { status, headers, body } = await handler(context, inputOf(route, request, none));
    return reply.code(status).headers(headers).send(body);
  });
}

/** As `mount`, for a route that answers a stream which stays open; it is ended when the service stops. */
export function mountStream<R extends AnyRoute>(app: HttpApp, route: R, handler: StreamHandler<R>): void {
  serve(app, route, async (context, request, reply) => {
    const write = await handler(context, inputOf(route, request, none));
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

/** A form as it was taken in: what tells it from another, what it asks for, and how what was taken in is dropped again. */
export interface Form {
  content: readonly string[];
  work(context: Context): Promise<unknown>;
  /** Called unless the work was done now: it failed, was refused, or is that of an earlier request. */
  drop(): Promise<void>;
}

/** As `mount`, for a route whose body is a form with a file, which `read` takes in before anything is done. */
export function mountUpload<R extends AnyRoute>(
  app: HttpApp,
  route: R,
  read: (request: FastifyRequest, params: Input<R>["params"]) => Promise<Form>,
): void {
  serve(app, route, async (context, request, reply) => {
    parsed(route.query, parseQuery(request.raw.url ?? ""));
    if (mediaType(request) !== "multipart/form-data") throw errors.badContentType("multipart/form-data");
    const form = await read(request, request.params as Input<R>["params"]);
    try {
      return await perform({ app, context, request, reply }, form.content, form.work);
    } finally {
      await form.drop();
    }
  });
}

const none = Buffer.alloc(0);

type Respond = (context: Context, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function serve(app: HttpApp, route: AnyRoute, respond: Respond): void {
  const { operation } = route;
  const callers = new WeakMap<FastifyRequest, Principal>();
  app.fastify.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    config: { operation: operation.id },
    onRequest: async (request) => {
      const principal = await authenticate(request.raw, app.db, app.log);
      if (!hasScope(principal, operation.scope)) throw errors.scopeMissing(operation.scope ?? "");
      callers.set(request, principal);
    },
    handler: async (request, reply) => {
      const principal = callers.get(request);
      if (principal === undefined) throw new Error("A request got past its authentication.");
      return await respond(contextOf(app, route, request, reply, principal), request, reply);
    },
  });
}

function contextOf(
  app: HttpApp,
  { operation }: AnyRoute,
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

function inputOf<R extends AnyRoute>(route: R, request: FastifyRequest, bytes: Buffer): Input<R> {
  const query = parsed(route.query, parseQuery(request.raw.url ?? ""));
  const body = parsed(route.body, bytes.length === 0 ? undefined : parseJson(bytes));
  return { params: request.params, query, body } as Input<R>;
}

/** The body's bytes; none where there are none and none are needed. Those of GET and DELETE are not looked at. */
async function bodyOf(app: HttpApp, { operation }: AnyRoute, request: FastifyRequest): Promise<Buffer> {
  if (operation.method !== "POST") return none;
  const required = operation.body === "json";
  if (!hasBody(request.raw)) {
    if (required) throw errors.bodyMissing();
    return none;
  }
  const isJson = mediaType(request) === "application/json";
  if (required && !isJson) throw errors.badContentType("application/json");
  const bytes = await readBody(request.raw, app.jsonLimit);
  if (bytes.length > 0 && !isJson) throw errors.badContentType("application/json");
  if (bytes.length === 0 && required) throw errors.bodyMissing();
  return bytes;
}

function hasBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== "0");
}

/** `application/json` of a well-formed `content-type` whose charset, if any, is UTF-8; else null. */
function mediaType(request: FastifyRequest): string | null {
  const given = headerValues(request.raw, "content-type");
  const match = /^([\w.+-]+\/[\w.+-]+)[ \t]*((?:;[ \t]*[\w-]+=(?:[^\s";]+|"[^"]*")[ \t]*)*);?$/.exec(
    given[0] ?? "",
  );
  if (given.length !== 1 || match === null) return null;
  const charset = /;[ \t]*charset="?([^\s";]+)/i.exec(match[2] ?? "")?.[1]?.toLowerCase();
  return charset === undefined || charset === "utf-8" || charset === "utf8"
    ? (match[1] ?? "").toLowerCase()
    : null;
}

function parsed<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input, { error: faultMessage });
  if (!result.success) throw errors.fault(firstFault(result.error.issues, input));
  return result.data;
}
