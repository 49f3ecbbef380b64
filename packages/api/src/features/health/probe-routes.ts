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

/**
 * Reason why a service is not ready: it is stopping; its runner is starting, frozen, unable to open sandboxes
 * or out of contact with the database; or its database does not respond.
 */
export type ServiceFault = (typeof SERVICE_FAULTS)[number];

export interface ServiceState {
  db: DatabaseAccess;
  /** Returns the fault that is known without asking the database; null when there is none. */
  fault(): ServiceFault | null | Promise<ServiceFault | null>;
}

export interface MetricsOptions {
  /** Whether metrics need no token. Otherwise requests from other machines need one. */
  metricsPublic: boolean;
}

/** Mounts the health probes, which need no authentication. */
export function mountProbes({ fastify, log }: HttpApp, state: ServiceState): void {
  fastify.get("/livez", PROBE, async (_request, reply) => reply.send({ status: "ok" }));
  fastify.get("/readyz", PROBE, async (_request, reply) => {
    const fault = await faultOf(state, log);
    return fault === null
      ? reply.send({ status: "ok" })
      : reply.code(503).send({ status: "unavailable", reason: fault });
  });
}

/** Returns the fault. A runner out of contact is only a symptom when the database does not respond. */
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

/** Returns whether a request comes from this machine, and no header says that a proxy forwarded it. */
function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = "" } = socket;
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
  return isLoopback && FORWARDING_HEADERS.every((name) => headers[name] === undefined);
}

/** Returns whether the database responds within two seconds. */
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
