import type { Server, ServerOptions, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { type Principal, RecentTokens } from "@berth/store/access";
import type { Database } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { AddressRates, type OwnerLimits } from "@berth/store/limits";
import { NO_TRACES, type Traces } from "@berth/store/traces";
import multipart from "@fastify/multipart";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Cursors } from "../request/cursor.ts";
import type { Caller, RequestScope } from "../request/request-scope.ts";
import { AccessLog, noteError, requestFields } from "./access-log.ts";
import { BodyBudget, OPEN_BODIES } from "./body-budget.ts";
import { ClientAddresses } from "./client-address.ts";
import { closeOnlyQuietConnections } from "./close-quiet-connections.ts";
import { divertHosts, type OtherHosts, upgradeOptions } from "./divert-hosts.ts";
import { holdBackBodies, isBodyHeldBack } from "./expected-body.ts";
import { commonHeaders, headerValues, requestIdOf } from "./headers.ts";
import { HeavyRequests } from "./heavy-requests.ts";
import type { Idempotency } from "./idempotency.ts";
import type { Metrics } from "./metrics.ts";
import { OwnOrigin } from "./own-origin.ts";
import { respondToProtocolErrors } from "./protocol-errors.ts";
import { renderError, toApiError } from "./render-error.ts";
import { noteEnd } from "./response-end.ts";

export interface HttpOptions {
  db: Database;
  log: Logger;
  cursors: Cursors;
  metrics: Metrics;
  /** Whether each request is logged. */
  accessLog: "on" | "off";
  idempotency: Idempotency;
  limits: OwnerLimits;
  /** Maximum bytes of a JSON body. */
  jsonLimit: number;
  /** Maximum bytes of an uploaded file. */
  uploadLimit: number;
  /** Source of client addresses. Default: the peers of the connections. */
  clients?: ClientAddresses;
  /** Tracing. Default: none. */
  traces?: Traces;
  /** Limits by client address. Default: none. */
  addressRates?: AddressRates;
  /** TLS certificate and key. Default: plain HTTP. */
  tls?: { cert: string; key: string } | undefined;
  /** Public base URL of the service. Default, also for null: the URL that clients connect to. */
  publicUrl?: string | null;
  /** Whether the cookie of a console sign-in is accepted instead of a token. Default: no. */
  acceptsSignIns?: boolean;
  /** Hosts whose requests are not for this app. Default: none. */
  otherHosts?: OtherHosts | undefined;
  /** Milliseconds without a request after which a closing app closes a connection. Default: 250. */
  quietMs?: number | undefined;
}

/** A Fastify instance with Berth's error responses, and what `mount` needs to add routes. */
export interface HttpApp extends HttpOptions {
  fastify: FastifyInstance;
  clients: ClientAddresses;
  addressRates: AddressRates;
  recentTokens: RecentTokens;
  heavyRequests: HeavyRequests;
  /** Memory for bodies of operations that need no token. */
  openBodies: BodyBudget;
  origin: OwnOrigin;
  acceptsSignIns: boolean;
  /** Open responses of streams, which are ended when the app closes. */
  streams: Set<ServerResponse>;
}

/** An authenticated request, with Fastify's objects for it. */
export interface IncomingRequest<Who extends Caller = Principal> {
  app: HttpApp;
  scope: RequestScope<Who>;
  request: FastifyRequest;
  reply: FastifyReply;
}

const HEADERS_TIMEOUT_MS = 30_000;
const CLOSE_IDLE_MS = 20;
const QUIET_MS = 250;
const MAX_PATH_PARAMETER = 1_024;

function refuseSchema(): never {
  throw new Error("A route must use the contract's schemas, not Fastify's.");
}

/** Compilers that replace Fastify's own, whose loading costs a fifth of a second of CPU at each start. */
const NO_SCHEMAS = { buildValidator: refuseSchema, buildSerializer: refuseSchema };

/** Creates the app without routes. It does not listen yet. */
export function createHttpApp(options: HttpOptions): HttpApp {
  const { clients = new ClientAddresses(), addressRates = new AddressRates(), traces = NO_TRACES } = options;
  const access = new AccessLog({ ...options, clients, traces });
  const fastify = Fastify({
    logger: false,
    schemaController: { compilersFactory: NO_SCHEMAS },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    genReqId: (request) => requestIdOf(request.headers),
    rewriteUrl: ({ url = "/" }) => originForm(url),
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      const apiError =
        error.code === "FST_ERR_MAX_PARAM_LENGTH"
          ? errors.unknownPath(request.method, pathOf(request))
          : errors.invalid("The path is not valid percent-encoded UTF-8.");
      access.refused(request.id, apiError, clients.of(request.raw));
      sendError(request, reply as FastifyReply, apiError, options.log);
    },
    ...serverOptions(options.tls, options.otherHosts),
  });
  const streams = new Set<ServerResponse>();
  fastify.register(multipart);
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  fastify.addHook("onRequest", async (request, reply) => {
    access.begin(request, reply);
    reply.headers(commonHeaders(request.id));
    const hosts = headerValues(request.raw, "host");
    if (request.raw.httpVersion === "1.1" && hosts.length === 0)
      throw errors.invalid("The header 'Host' is missing.");
    // A proxy may choose another of them than this service.
    if (hosts.length > 1) throw errors.invalid("The header 'Host' is given more than once.");
  });
  fastify.addHook("onSend", async (request, reply) => {
    if (isBodyHeldBack(request.raw)) reply.header("connection", "close");
  });
  fastify.addHook("preClose", async () => {
    access.stop();
    for (const response of streams) {
      noteEnd(response, "stopping");
      response.end();
    }
    closeWhenIdle(fastify.server);
    // Connections that are already established are accepted before the server stops listening.
    await setImmediate();
  });
  fastify.setErrorHandler((error, request, reply) => sendError(request, reply, error, options.log));
  fastify.setNotFoundHandler((request, reply) => {
    sendError(request, reply, errors.unknownPath(request.method, pathOf(request)), options.log);
  });
  const { quietMs = QUIET_MS, otherHosts } = options;
  if (otherHosts !== undefined) divertHosts(fastify.server, otherHosts);
  closeOnlyQuietConnections(fastify.server, { isTls: options.tls !== undefined, quietMs });
  respondToProtocolErrors(fastify.server, access, clients);
  holdBackBodies(fastify.server);
  return {
    ...options,
    clients,
    addressRates,
    recentTokens: new RecentTokens(options.db.read),
    heavyRequests: new HeavyRequests(),
    openBodies: new BodyBudget(OPEN_BODIES),
    origin: new OwnOrigin({
      publicUrl: options.publicUrl ?? null,
      isTls: options.tls !== undefined,
      clients,
    }),
    acceptsSignIns: options.acceptsSignIns ?? false,
    fastify,
    streams,
  };
}

/** Returns the server's options. Fastify's types distinguish HTTPS, but the used members are the same. */
function serverOptions(tls: HttpOptions["tls"], otherHosts: OtherHosts | undefined): { http: ServerOptions } {
  const http: ServerOptions = {
    requireHostHeader: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 5_000,
    ...upgradeOptions(otherHosts),
  };
  return tls === undefined ? { http } : ({ https: { ...http, ...tls } } as object as { http: ServerOptions });
}

/**
 * Closes each connection as soon as it is quiet; Node checks only once, when the server closes. Data that has
 * arrived by then is read first.
 */
function closeWhenIdle(server: Server): void {
  const timer = setInterval(async () => {
    await setImmediate();
    server.closeIdleConnections();
  }, CLOSE_IDLE_MS);
  server.once("close", () => clearInterval(timer));
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: unknown, log: Logger): void {
  const apiError = toApiError(error, log, requestFields(request));
  noteError(request, apiError);
  const { status, headers, body } = renderError(apiError, request.id);
  reply.code(status).headers(headers).send(body);
}

function pathOf(request: FastifyRequest): string {
  return request.raw.url?.split("?")[0] ?? "";
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Id of the contract's operation, which names the route in metrics and log. */
    operation?: string;
    /** Whether the request is for the health or the metrics of the service. */
    isProbe?: boolean;
  }
}

/** Returns the path of a request target in absolute form, which clients send to proxies. */
function originForm(target: string): string {
  const path = /^https?:\/\/[^/?]*(.*)$/is.exec(target)?.[1];
  if (path === undefined) return target;
  return path.startsWith("/") ? path : `/${path}`;
}
