import type { IncomingMessage } from "node:http";
import type { AnyRoute, Input, ResponseOf } from "@berth/contract";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Context } from "./context.ts";
import { errors } from "./errors.ts";
import type { HttpApp } from "./http-app.ts";
import { parseJson } from "./parse-json.ts";
import { perform } from "./perform.ts";
import { drain } from "./read-body.ts";
import { type Head, headOf, jsonBodyOf, mediaType, parsed } from "./read-input.ts";
import { serveRoute } from "./serve-route.ts";

/** A form as it was taken in: what tells it from another, what it asks for, and how what was taken in is dropped again. */
export interface Form {
  content: readonly string[];
  work(context: Context): Promise<unknown>;
  /** Called at the end in any case: what the work has kept stays. */
  drop(): Promise<void>;
}

/** What a route does with JSON in place of a form. */
export interface InPlaceOfForm<R extends AnyRoute, Json extends z.ZodType> {
  schema: Json;
  work(context: Context, body: z.output<Json>): Promise<ResponseOf<R>>;
}

/** As `mount`, for a route whose body is a form with files, which `read` takes in before anything is done, or JSON. */
export function mountUpload<R extends AnyRoute, Json extends z.ZodType>(
  app: HttpApp,
  route: R,
  read: (request: FastifyRequest, params: Input<R>["params"]) => Promise<Form>,
  json?: InPlaceOfForm<R, Json>,
): void {
  serveRoute(app, route, async (asked) => {
    const { params } = headOf(asked, route);
    const type = mediaType(asked.request);
    if (type === "application/json" && json !== undefined) {
      const bytes = await jsonBodyOf(asked);
      const body = parsed(asked, json.schema, parseJson(bytes));
      return await perform(asked, [bytes], (context) => json.work(context, body));
    }
    if (type !== "multipart/form-data") {
      throw errors.badContentType("multipart/form-data", ...(json === undefined ? [] : ["application/json"]));
    }
    const form = await read(asked.request, params);
    try {
      return await perform(asked, form.content, form.work);
    } finally {
      await form.drop();
    }
  });
}

/** Takes the bytes of a body as they come. */
export type BytesHandler<R extends AnyRoute> = (
  context: Context,
  input: Head<R>,
  body: IncomingMessage,
) => Promise<{ answer: ResponseOf<R>; headers: Record<string, string> }>;

/** As `mount`, for a route whose body is bytes of any type. Who is refused in the middle of them gets to see why. */
export function mountBytes<R extends AnyRoute>(app: HttpApp, route: R, handler: BytesHandler<R>): void {
  serveRoute(app, route, async (asked) => {
    const { context, request, reply } = asked;
    try {
      const { answer, headers } = await handler(context, headOf(asked, route), request.raw);
      return await reply.headers(headers).send(answer);
    } catch (error) {
      await drain(request.raw);
      if (!request.raw.readableEnded) reply.header("connection", "close");
      throw error;
    }
  });
}
