import type { FastifyReply, FastifyRequest } from "fastify";
import type { DatabaseAccess } from "../db/database-access.ts";
import type { Context } from "./context.ts";
import { Created } from "./created.ts";
import type { HttpApp } from "./http-app.ts";
import type { Answered } from "./idempotency.ts";
import { JsonText } from "./json-text.ts";

/** A request as `mount` has it, before it is known what it wants. */
export interface Asked {
  app: HttpApp;
  context: Context;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Does the work that a request asks for and sends its answer as JSON. A POST or DELETE with an `Idempotency-Key` is done once:
 * all of its work is one transaction, and `content` tells it from other requests of the same method and path.
 */
export async function perform(
  { app, context, request, reply }: Asked,
  content: readonly (string | Uint8Array)[],
  work: (context: Context) => Promise<unknown>,
): Promise<FastifyReply> {
  const { method = "", url = "" } = request.raw;
  const followUps: ((db: DatabaseAccess) => unknown)[] = [];
  const answered = async (db: DatabaseAccess): Promise<Answered> => {
    const made = await work({ ...context, db, afterwards: (then) => followUps.push(then) });
    const [status, answer] = made instanceof Created ? [201, made.answer] : [200, made];
    return { status, body: answer instanceof JsonText ? answer.text : JSON.stringify(answer) };
  };
  const key = method === "POST" || method === "DELETE" ? context.header("idempotency-key") : undefined;
  const { status, body, replayed } =
    key === undefined
      ? { ...(await answered(app.db)), replayed: false }
      : await app.idempotency.once(context, key, [method, url, ...content], answered);
  if (status < 400) for (const then of followUps) await follow(app, context, then);
  if (replayed) reply.header("idempotency-replayed", "true");
  if (status >= 400) reply.header("x-should-retry", "false");
  return reply.code(status).header("content-type", "application/json; charset=utf-8").send(body);
}

/** What the request changed stands already, so that a failure here is not its answer. */
async function follow(
  { db }: HttpApp,
  { log }: Context,
  then: (db: DatabaseAccess) => unknown,
): Promise<void> {
  try {
    await then(db);
  } catch (error) {
    log.error({ err: error }, "what follows a request failed");
  }
}
