import type { IncomingMessage } from "node:http";
import type { SERVICE_FAULTS } from "@berth/contract";
import { hasScope } from "@berth/store/access";
import { type DatabaseAccess, ping } from "@berth/store/db";
import { errors } from "@berth/store/errors";
import { authenticate } from "../../http/authenticate.ts";
import type { HttpApp } from "../../http/http-app.ts";

const METRICS_SCOPE = "metrics:read";
const FORWARDING_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];
const PROBE = { config: { isProbe: true } };
const READY_TIMEOUT_MS = 2_000;

/** Why a service is not ready: it stops, its runner starts, is frozen, opens no sandbox or is not heard of by the database, or its database does not respond. */
export type ServiceFault = (typeof SERVICE_FAULTS)[number];

export interface ServiceState {
  db: DatabaseAccess;
  /** What is known without asking the database; null: nothing is wrong. */
  fault(): ServiceFault | null | Promise<ServiceFault | null>;
}

export interface MetricsOptions {
  /** Whether metrics are for everybody; else requests from other machines need a token. */
  metricsPublic: boolean;
}

/** Health, without authentication. */
export function mountHealth({ fastify, log }: HttpApp, state: ServiceState): void {
  fastify.get("/livez", PROBE, async (_request, reply) => reply.send({ status: "ok" }));
  fastify.get("/readyz", PROBE, async (_request, reply) => {
    const fault = await faultOf(state, log);
    return fault === null
      ? reply.send({ status: "ok" })
      : reply.code(503).send({ status: "unavailable", reason: fault });
  });
}

/** A database that does not respond is why the runner does not reach it. */
async function faultOf(state: ServiceState, log: HttpApp["log"]): Promise<ServiceFault | null> {
  const fault = await state.fault();
  if (fault !== null && fault !== "heartbeat") return fault;
  return (await responds(state.db, log)) ? fault : "database";
}

export function mountMetrics(app: HttpApp, { metricsPublic }: MetricsOptions): void {
  const { fastify, metrics } = app;
  fastify.get("/metrics", PROBE, async (request, reply) => {
    if (!metricsPublic && !isFromThisMachine(request.raw)) await authorizeMetrics(app, request.raw);
    const { contentType, text } = await metrics.render();
    return reply.header("content-type", contentType).send(text);
  });
}

async function authorizeMetrics(app: HttpApp, request: IncomingMessage): Promise<void> {
  const principal = await authenticate(request, app);
  if (!hasScope(principal, METRICS_SCOPE)) throw errors.scopeMissing(METRICS_SCOPE);
}

/** A proxy on this machine says in a header that a request is another machine's. No header makes a request local. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = "" } = socket;
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
  return isLoopback && FORWARDING_HEADERS.every((name) => headers[name] === undefined);
}

/** Whether the database responds within two seconds. */
async function responds(db: DatabaseAccess, log: HttpApp["log"]): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), READY_TIMEOUT_MS);
  const response = ping(db.read).then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error }, "the database does not respond");
      return false;
    },
  );
  return await Promise.race([response, late.promise]).finally(() => clearTimeout(timer));
}
