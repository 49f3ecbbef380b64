import type { IncomingMessage } from "node:http";
import type { AnyRoute, Input, ResponseOf } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { RequestScope } from "../request/request-scope.ts";
import { appendEntry } from "./audited.ts";
import type { HttpApp } from "./http-app.ts";
import { parseJson } from "./parse-json.ts";
import { drain } from "./read-body.ts";
import { type InputHead, mediaType, parse, parseHead, readJsonBody } from "./read-input.ts";
import { respond } from "./respond.ts";
import { serveRoute } from "./serve-route.ts";

/** A form that was read completely. */
export interface Form {
  /** Parts that distinguish the request from others with the same `Idempotency-Key`. */
  content: readonly string[];
  handle(request: RequestScope): Promise<unknown>;
  /** Deletes the received files that `handle` did not keep. Always called at the end. */
  discard(): Promise<void>;
}

/** Handler for a JSON body instead of a form. */
export interface JsonInPlaceOfForm<R extends AnyRoute, Json extends z.ZodType> {
  schema: Json;
  handle(request: RequestScope, body: z.output<Json>): Promise<ResponseOf<R>>;
}

/** Mounts a route whose body is JSON or a form. `read` receives the form before anything is done. */
export function mountUpload<R extends AnyRoute, Json extends z.ZodType>(
  app: HttpApp,
  route: R,
  read: (request: FastifyRequest, params: Input<R>["params"]) => Promise<Form>,
  json?: JsonInPlaceOfForm<R, Json>,
): void {
  serveRoute(app, route, async (incoming) => {
    const { params } = parseHead(incoming, route);
    const type = mediaType(incoming.request);
    if (type === "application/json" && json !== undefined) {
      const bytes = await readJsonBody(incoming);
      const body = parse(incoming, json.schema, parseJson(bytes));
      return await respond(incoming, [bytes], (scope) => json.handle(scope, body));
    }
    if (type !== "multipart/form-data") {
      throw errors.badContentType("multipart/form-data", ...(json === undefined ? [] : ["application/json"]));
    }
    const form = await read(incoming.request, params);
    try {
      return await respond(incoming, form.content, form.handle);
    } finally {
      await form.discard();
    }
  });
}

/** Reads the bytes of a body as they arrive. Must call `audit` in the transaction of the changes. */
export type BytesHandler<R extends AnyRoute> = (
  request: RequestScope,
  input: InputHead<R>,
  body: IncomingMessage,
  audit: (tx: Queryable) => Promise<void>,
) => Promise<{ body: ResponseOf<R>; headers: Record<string, string> }>;

/** Mounts a route whose body is bytes. An error within the body is sent after draining the rest. */
export function mountBytes<R extends AnyRoute>(app: HttpApp, route: R, handler: BytesHandler<R>): void {
  serveRoute(app, route, async (incoming) => {
    const { scope, request, reply } = incoming;
    try {
      const audit = (tx: Queryable) => appendEntry(incoming, tx);
      const { body, headers } = await handler(scope, parseHead(incoming, route), request.raw, audit);
      return await reply.headers(headers).send(body);
    } catch (error) {
      await drain(request.raw);
      if (!request.raw.readableEnded) reply.header("connection", "close");
      throw error;
    }
  });
}
