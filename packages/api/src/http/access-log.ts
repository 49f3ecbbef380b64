import { formatId, parseId } from "@berth/contract";
import type { ApiError } from "@berth/store/errors";
import type { Attributes, TraceSpan, Traces } from "@berth/store/traces";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Caller } from "../request/request-scope.ts";
import type { ClientAddresses } from "./client-address.ts";
import { headerValues } from "./headers.ts";
import type { Metrics } from "./metrics.ts";
import { endOf, noteEnd } from "./response-end.ts";

export interface AccessLogOptions {
  log: Logger;
  metrics: Metrics;
  /** Whether requests are logged. They are counted in any case. */
  accessLog: "on" | "off";
  clients: ClientAddresses;
  traces: Traces;
}

/** Logged status of a request whose client left before the response. */
const CLIENT_LEFT = 499;

const PRINCIPALS = new WeakMap<FastifyRequest, Caller>();
const SPANS = new WeakMap<FastifyRequest, TraceSpan>();
const ERRORS = new WeakMap<FastifyRequest, LoggedError>();

/** The fields of an error that go into the access log. */
type LoggedError = Pick<ApiError, "type"> & Partial<Pick<ApiError, "param" | "code" | "limit">>;

/** Returns the trace context of the request's own span; null while tracing is off. */
export function traceparentOf(request: FastifyRequest): string | null {
  return SPANS.get(request)?.traceparent ?? null;
}

/** Records who makes a request. */
export function notePrincipal(request: FastifyRequest, principal: Caller): void {
  PRINCIPALS.set(request, principal);
}

/** Records the error with which a request ends. */
export function noteError(request: FastifyRequest, error: LoggedError): void {
  ERRORS.set(request, error);
}

/** Returns who makes the request; undefined until that is known. */
export function principalOf(request: FastifyRequest): Caller | undefined {
  return PRINCIPALS.get(request);
}

/**
 * Returns the fields of every log line about a request, as far as they are known: its id, its principal, and
 * the session in its path.
 */
export function requestFields(request: FastifyRequest): Record<string, string> {
  return { request_id: request.id, ...callerOf(principalOf(request)), ...sessionOf(request) };
}

/**
 * Writes one line and one span per request, when its response has ended. They contain ids and numbers; of
 * what the client wrote, only its request id and a field's name.
 */
export class AccessLog {
  readonly #options: AccessLogOptions;
  #isStopping = false;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  /** Starts measuring a request. Must be called for each request that reaches the routes. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    // The address is read here, because a closed connection has none.
    const client = this.#options.clients.of(request.raw);
    const began = performance.now();
    this.#trace(request);
    reply.raw.once("close", () => {
      if (this.#isStopping && !reply.raw.writableFinished) noteEnd(reply.raw, "stopping");
      this.#ended(request, reply, { client, milliseconds: performance.now() - began });
    });
  }

  /** Marks the service as stopping. Responses that are cut from here on count as ended by the service. */
  stop(): void {
    this.#isStopping = true;
  }

  #trace(request: FastifyRequest): void {
    const { operation, isProbe } = request.routeOptions.config;
    if (operation === undefined || isProbe === true) return;
    const { method, routeOptions } = request;
    const parent = headerValues(request.raw, "traceparent")[0];
    const attributes = {
      "http.request.method": method,
      "http.route": routeOptions.url,
      "url.scheme": request.protocol,
      "berth.request_id": request.id,
    };
    SPANS.set(request, this.#options.traces.start(operation, { kind: "server", parent, attributes }));
  }

  #ended(
    request: FastifyRequest,
    { raw }: FastifyReply,
    { client, milliseconds }: { client: string; milliseconds: number },
  ): void {
    const { metrics, log, accessLog } = this.#options;
    const { operation = "none", isProbe = false } = request.routeOptions.config;
    const status = raw.headersSent ? raw.statusCode : CLIENT_LEFT;
    metrics.requestEnded(operation, status, milliseconds);
    const who = { ...callerOf(principalOf(request)), ...sessionOf(request) };
    SPANS.get(request)?.end(
      { "http.response.status_code": status, ...berthAttributes(who) },
      status >= 500 ? `${status}` : undefined,
    );
    const level = isProbe ? "debug" : "info";
    if (accessLog === "off" || !log.isLevelEnabled(level)) return;
    const fields = {
      request_id: request.id,
      operation,
      status,
      milliseconds: Math.round(milliseconds * 1_000) / 1_000,
      ...who,
      ...errorFields(ERRORS.get(request)),
      client,
      ended: endOf(raw),
    };
    log[level](fields, "request ended");
  }

  /** Logs a request that is rejected before routing. */
  refused(requestId: string, error: ApiError, client: string): void {
    const { status } = error;
    this.#options.metrics.requestEnded("none", status, 0);
    if (this.#options.accessLog === "off") return;
    const about = { request_id: requestId, operation: "none", status, ...errorFields(error) };
    const fields = { ...about, client, ended: "complete" };
    this.#options.log.info(fields, "request ended");
  }
}

/** Pattern of a logged param. Clients can name fields, so only short names are logged. */
const NAME = /^[\w.[\]-]{1,100}$/;

function errorFields(error: LoggedError | undefined): Record<string, string> {
  if (error === undefined) return {};
  const { type, param, code, limit } = error;
  return {
    error: type,
    ...(code !== undefined && { code }),
    ...(param !== undefined && NAME.test(param) && { param }),
    ...(limit !== undefined && { limit }),
  };
}

function callerOf(principal: Caller | undefined): Record<string, string> {
  if (principal === undefined) return {};
  if (principal.kind === "operator") return { operator_token: formatId("operator_token", principal.tokenId) };
  const { kind, id, organizationId } = principal;
  return { [kind]: formatId(kind, id), organization: formatId("organization", organizationId) };
}

function berthAttributes(fields: Record<string, string>): Attributes {
  return Object.fromEntries(Object.entries(fields).map(([name, id]) => [`berth.${name}.id`, id]));
}

/** Returns the session in the path. Text that is not a session id is not logged. */
function sessionOf({ params }: FastifyRequest): { session?: string } {
  const id = (params as { session_id?: unknown } | undefined)?.session_id;
  return typeof id === "string" && parseId("session", id) !== null ? { session: id } : {};
}
