import type { ErrorEnvelope, Operation } from "@berth/contract";
import type { DatabaseAccess } from "@berth/store/db";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, RequestScope } from "../request/request-scope.ts";
import { Created, JsonText } from "../request/response-body.ts";
import { noteError, requestFields } from "./access-log.ts";
import { audited, type Changed } from "./audited.ts";
import { isDryRun, rolledBack } from "./dry-run.ts";
import type { HttpApp, IncomingRequest } from "./http-app.ts";
import type { JsonResponse } from "./idempotency.ts";

/**
 * Runs a handler and sends its result as JSON. A POST or DELETE with an `Idempotency-Key` runs once, in one
 * transaction; `content` distinguishes it from other requests of the same method and path.
 *
 * @param isAudited whether the audit entry is stored here, and not by the handler. Default: if the operation
 * changes something.
 */
export async function respond<Who extends Caller>(
  incoming: IncomingRequest<Who>,
  content: readonly (string | Uint8Array)[],
  handler: (scope: RequestScope<Who>) => Promise<unknown>,
  isAudited = changesSomething(incoming.scope.operation),
): Promise<FastifyReply> {
  const { app, scope, request, reply } = incoming;
  const { method = "", url = "" } = request.raw;
  if (scope.operation.confidential === true) reply.header("cache-control", "no-store");
  const followUps: ((db: DatabaseAccess) => unknown)[] = [];
  const run = async (db: DatabaseAccess): Promise<JsonResponse & Changed> => {
    const result = await handler({ ...scope, db, afterCommit: (then) => followUps.push(then) });
    const [status, body] = result instanceof Created ? [201, result.body] : [200, result];
    return { status, body: body instanceof JsonText ? body.text : JSON.stringify(body), id: idOf(body) };
  };
  if (isDryRun(scope)) {
    const { status, body } = await rolledBack(app.db, run);
    return sendJson(reply, status, body);
  }
  const key = method === "POST" || method === "DELETE" ? scope.header("idempotency-key") : undefined;
  const act = (db: DatabaseAccess) => (isAudited ? audited(incoming, db, run) : run(db));
  const { status, body, replayed } =
    key === undefined
      ? { ...(await act(app.db)), replayed: false }
      : await app.idempotency.once(scope, key, [method, url, ...content], act);
  if (status < 400) for (const then of followUps) await runFollowUp(app, request, then);
  if (replayed) reply.header("idempotency-replayed", "true");
  if (status >= 400) {
    reply.header("x-should-retry", "false");
    noteError(request, (JSON.parse(body) as ErrorEnvelope).error);
  }
  return sendJson(reply, status, body);
}

function changesSomething({ method, readOnly }: Operation): boolean {
  return method !== "GET" && readOnly !== true;
}

/** Returns the id of the object that a response is about. JSON text begins with it. */
function idOf(body: unknown): string | undefined {
  if (body instanceof JsonText) return /^\{"id":"([\w]{1,80})"/.exec(body.text)?.[1];
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}

export function sendJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).header("content-type", "application/json; charset=utf-8").send(body);
}

/** Runs an action after the commit. Its failure does not fail the request, whose changes are committed. */
async function runFollowUp(
  { db, log }: HttpApp,
  request: FastifyRequest,
  then: (db: DatabaseAccess) => unknown,
): Promise<void> {
  try {
    await then(db);
  } catch (error) {
    log.error({ err: error, ...requestFields(request) }, "an action after a request's commit failed");
  }
}
