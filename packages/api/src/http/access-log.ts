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
  /** Whether requests are logged; they are counted in any case. */
  accessLog: "on" | "off";
  clients: ClientAddresses;
  traces: Traces;
}

/** The status of a request whose client left before it had a response. */
const CLIENT_LEFT = 499;

const PRINCIPALS = new WeakMap<FastifyRequest, Caller>();
const SPANS = new WeakMap<FastifyRequest, TraceSpan>();
const ERRORS = new WeakMap<FastifyRequest, LoggedError>();

/** What the line of a request says of its error. */
type LoggedError = Pick<ApiError, "type"> & Partial<Pick<ApiError, "param" | "code" | "limit">>;

/** The request's own span, for what it causes; null while nothing is traced. */
export function traceparentOf(request: FastifyRequest): string | null {
  return SPANS.get(request)?.traceparent ?? null;
}

/** Says who makes a request. */
export function notePrincipal(request: FastifyRequest, principal: Caller): void {
  PRINCIPALS.set(request, principal);
}

/** Says with which error a request is answered. */
export function noteError(request: FastifyRequest, error: LoggedError): void {
  ERRORS.set(request, error);
}

/** Who makes it, once that is known. */
export function principalOf(request: FastifyRequest): Caller | undefined {
  return PRINCIPALS.get(request);
}

/** What each line about a request says of it, as far as it is known: its id, who makes it, and the session that its path names. */
export function requestFields(request: FastifyRequest): Record<string, string> {
  return { request_id: request.id, ...callerOf(principalOf(request)), ...sessionOf(request) };
}

/** One line and one span for each request, when its response has ended: ids and numbers, nothing that the client wrote but its request id and the name of a field. */
export class AccessLog {
  readonly #options: AccessLogOptions;
  #isStopping = false;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  /** To be called for each request that gets to the routes. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    // Read now: a connection that is gone has no address.
    const client = this.#options.clients.of(request.raw);
    const began = performance.now();
    this.#trace(request);
    reply.raw.once("close", () => {
      if (this.#isStopping && !reply.raw.writableFinished) noteEnd(reply.raw, "stopping");
      this.#ended(request, reply, { client, milliseconds: performance.now() - began });
    });
  }

  /** Responses that are not sent whole from now on are ended by the service. */
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

  /** Logs a request that is refused before a route was looked for. */
  refused(requestId: string, error: ApiError, client: string): void {
    const { status } = error;
    this.#options.metrics.requestEnded("none", status, 0);
    if (this.#options.accessLog === "off") return;
    const about = { request_id: requestId, operation: "none", status, ...errorFields(error) };
    const fields = { ...about, client, ended: "complete" };
    this.#options.log.info(fields, "request ended");
  }
}

/** A param may be what the client calls a field: only what looks like a name is logged, and not of any length. */
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

/** The session that the path names. Another text in its place is not logged. */
function sessionOf({ params }: FastifyRequest): { session?: string } {
  const id = (params as { session_id?: unknown } | undefined)?.session_id;
  return typeof id === "string" && parseId("session", id) !== null ? { session: id } : {};
}
