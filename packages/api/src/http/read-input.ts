import type { IncomingMessage } from "node:http";
import {
  type AnyRoute,
  BETA_HEADER,
  type BetaFeature,
  type Input,
  parseBetaHeader,
  parseInput,
} from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { headerValues } from "./headers.ts";
import type { IncomingRequest } from "./http-app.ts";
import { parseJson } from "./parse-json.ts";
import { parseQuery } from "./parse-query.ts";
import { type BodyLimits, readBody } from "./read-body.ts";

/** A request of a route, authenticated or not. */
export type RoutedRequest = Pick<IncomingRequest, "app" | "request"> & {
  scope: Pick<IncomingRequest["scope"], "operation">;
};

export const NO_BODY = Buffer.alloc(0);

/** Parses params, query and body by the route's schemas. */
export function parseRequest<R extends AnyRoute>(incoming: RoutedRequest, route: R, bytes: Buffer): Input<R> {
  const head = parseHead(incoming, route);
  const body = parse(incoming, route.body, bytes.length === 0 ? undefined : parseJson(bytes));
  return { ...head, body } as Input<R>;
}

/** An input without its body. */
export type InputHead<R extends AnyRoute> = Omit<Input<R>, "body">;

export function parseHead<R extends AnyRoute>(incoming: RoutedRequest, route: R): InputHead<R> {
  const query = parse(incoming, route.query, parseQuery(incoming.request.raw.url ?? ""));
  return { params: incoming.request.params, query } as InputHead<R>;
}

/**
 * Parses an input by a schema.
 *
 * @throws errors.featureNotAvailable for a part of a beta feature that the request does not activate.
 */
export function parse<S extends z.ZodType>(incoming: RoutedRequest, schema: S, input: unknown): z.output<S> {
  const result = parseInput(schema, input, activatedFeatures(incoming));
  if ("data" in result) return result.data;
  const { feature } = result.error;
  throw feature === undefined ? errors.fault(result.error) : errors.featureNotAvailable(feature);
}

/** Returns the beta features that the request's header activates. */
export function activatedFeatures({ request }: Pick<RoutedRequest, "request">): ReadonlySet<BetaFeature> {
  return parseBetaHeader(headerValues(request.raw, BETA_HEADER).join(","));
}

/** Reads a JSON body; empty when there is none and none is required, and for GET and DELETE. */
export async function readJsonBody(
  { app, scope, request }: RoutedRequest,
  limits: BodyLimits = { limit: app.jsonLimit },
): Promise<Buffer> {
  const { method, body } = scope.operation;
  if (method !== "POST") return NO_BODY;
  const required = body !== "none";
  if (!hasBody(request.raw)) {
    if (required) throw errors.bodyMissing();
    return NO_BODY;
  }
  const isJson = mediaType(request) === "application/json";
  if (required && !isJson) throw errors.badContentType("application/json");
  const bytes = await readBody(request.raw, limits);
  if (bytes.length > 0 && !isJson) throw errors.badContentType("application/json");
  if (bytes.length === 0 && required) throw errors.bodyMissing();
  return bytes;
}

function hasBody(request: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== "0");
}

/**
 * Returns the media type of the `content-type`, in lower case. Returns null if that is missing, repeated or
 * malformed, or has a charset other than UTF-8.
 */
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
