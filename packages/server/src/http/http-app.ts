import type { Server, ServerResponse } from "node:http";
import multipart from "@fastify/multipart";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Database } from "../db/pool.ts";
import { answerBelowRoutes } from "./below-routes.ts";
import type { Cursors } from "./cursor.ts";
import { errors } from "./errors.ts";
import type { Idempotency } from "./idempotency.ts";
import type { Metrics } from "./metrics.ts";
import { renderError, toApiError } from "./render-error.ts";
import { requestIdHeaders, requestIdOf } from "./request-id.ts";

export interface HttpOptions {
  db: Database;
  log: Logger;
  cursors: Cursors;
  metrics: Metrics;
  idempotency: Idempotency;
  /** Bytes of a JSON body. */
  jsonLimit: number;
  /** Bytes of an uploaded file. */
  uploadLimit: number;
}

/** The framework with every answer made ours, and what `mount` needs to put routes on it. */
export interface HttpApp extends HttpOptions {
  fastify: FastifyInstance;
  /** Responses that stay open; they are ended when the app closes. */
  streams: Set<ServerResponse>;
}

const HEADERS_TIMEOUT_MS = 30_000;
const CLOSE_IDLE_MS = 20;
const MAX_PATH_PARAMETER = 1_024;

export function createHttpApp(options: HttpOptions): HttpApp {
  const fastify = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    genReqId: (request) => requestIdOf(request.headers),
    rewriteUrl: ({ url = "/" }) => originForm(url),
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      const refusal =
        error.code === "FST_ERR_MAX_PARAM_LENGTH"
          ? errors.unknownPath(request.method, pathOf(request))
          : errors.invalid("The path is not valid percent-encoded UTF-8.");
      sendError(reply as FastifyReply, refusal, request.id, options.log);
    },
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
    },
  });
  const streams = new Set<ServerResponse>();
  fastify.register(multipart);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  fastify.addHook("onRequest", async (request, reply) => {
    reply.headers(requestIdHeaders(request.id));
    if (request.raw.httpVersion === "1.1" && request.headers.host === undefined) {
      throw errors.invalid("The header 'Host' is missing.");
    }
  });
  fastify.addHook("onResponse", async (request, { statusCode: status, elapsedTime: milliseconds }) => {
    const operation = request.routeOptions.config.operation ?? "none";
    options.metrics.answered(operation, status, milliseconds);
    options.log.debug({ request_id: request.id, operation, status, milliseconds }, "answered");
  });
  fastify.addHook("preClose", async () => {
    for (const response of streams) response.end();
    closeWhenIdle(fastify.server);
  });
  fastify.setErrorHandler((error, request, reply) => sendError(reply, error, request.id, options.log));
  fastify.setNotFoundHandler((request, reply) => {
    sendError(reply, errors.unknownPath(request.method, pathOf(request)), request.id, options.log);
  });
  answerBelowRoutes(fastify.server);
  return { ...options, fastify, streams };
}

/**
 * Closes each connection as soon as it has no request under way. Node does this for those that are idle when the server
 * closes; it would keep the others for as long as their clients might want them.
 */
function closeWhenIdle(server: Server): void {
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  server.once("close", () => clearInterval(timer));
}

function sendError(reply: FastifyReply, error: unknown, requestId: string, log: Logger): void {
  const { status, headers, body } = renderError(toApiError(error, log, requestId), requestId);
  reply.code(status).headers(headers).send(body);
}

function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split("?")[0] ?? "";
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Of the contract: the label of the route's metrics. */
    operation?: string;
  }
}

/** A request target may name the host too, as proxies are sent it: it means the same. */
function originForm(target: string): string {
  const path = /^https?:\/\/[^/?]*(.*)$/is.exec(target)?.[1];
  if (path === undefined) return target;
  return path.startsWith("/") ? path : `/${path}`;
}
