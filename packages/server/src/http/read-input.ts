import type { IncomingMessage } from "node:http";
import {
  type AnyRoute,
  BETA_HEADER,
  type BetaFeature,
  type Input,
  parseBetaHeader,
  parseInput,
} from "@berth/contract";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { errors } from "./errors.ts";
import { headerValues } from "./header-values.ts";
import { parseJson } from "./parse-json.ts";
import { parseQuery } from "./parse-query.ts";
import type { Asked } from "./perform.ts";
import { readBody } from "./read-body.ts";

/** A body that is not there. */
export const none = Buffer.alloc(0);

/** Params, query and body, each as the route has it. */
export function inputOf<R extends AnyRoute>(asked: Asked, route: R, bytes: Buffer): Input<R> {
  const head = headOf(asked, route);
  const body = parsed(asked, route.body, bytes.length === 0 ? undefined : parseJson(bytes));
  return { ...head, body } as Input<R>;
}

/** What an input has beside its body. */
export type Head<R extends AnyRoute> = Omit<Input<R>, "body">;

export function headOf<R extends AnyRoute>(asked: Asked, route: R): Head<R> {
  const query = parsed(asked, route.query, parseQuery(asked.request.raw.url ?? ""));
  return { params: asked.request.params, query } as Head<R>;
}

/** What a schema makes of an input. A part of a feature that the request does not activate is refused with 501. */
export function parsed<S extends z.ZodType>(asked: Asked, schema: S, input: unknown): z.output<S> {
  const result = parseInput(schema, input, activatedFeatures(asked));
  if ("data" in result) return result.data;
  const { feature } = result.error;
  throw feature === undefined ? errors.fault(result.error) : errors.featureNotAvailable(feature);
}

/** The beta features that a request activates by its header. */
export function activatedFeatures({ request }: Asked): ReadonlySet<BetaFeature> {
  return parseBetaHeader(headerValues(request.raw, BETA_HEADER).join(","));
}

/** The bytes of a JSON body; none where there are none and none are needed. Those of GET and DELETE are not looked at. */
export async function jsonBodyOf({ app, context, request }: Asked): Promise<Buffer> {
  const { method, body } = context.operation;
  if (method !== "POST") return none;
  const required = body !== "none";
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
export function mediaType(request: FastifyRequest): string | null {
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
