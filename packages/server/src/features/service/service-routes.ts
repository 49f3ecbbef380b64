import type { DatabaseAccess } from "../../db/database-access.ts";
import { ping } from "../../db/statement.ts";
import type { HttpApp } from "../../http/http-app.ts";

const READY_TIMEOUT_MS = 2_000;

/** Health, metrics and the API's document, without authentication. */
export function mountService(app: HttpApp, db: DatabaseAccess, openApi: object): void {
  const { fastify, log, metrics } = app;
  const document = JSON.stringify(openApi);
  fastify.get("/livez", async (_request, reply) => reply.send({ status: "ok" }));
  fastify.get("/readyz", async (_request, reply) => {
    const ready = await isReady(db, log);
    return reply.code(ready ? 200 : 503).send({ status: ready ? "ok" : "unavailable" });
  });
  fastify.get("/metrics", async (_request, reply) => {
    const { contentType, text } = await metrics.render();
    return reply.header("content-type", contentType).send(text);
  });
  fastify.get("/openapi.json", async (_request, reply) =>
    reply.header("content-type", "application/json; charset=utf-8").send(document),
  );
}

/** Ready means that the database responds within two seconds. */
async function isReady(db: DatabaseAccess, log: HttpApp["log"]): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), READY_TIMEOUT_MS);
  const responds = ping(db.read).then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error }, "the database does not respond");
      return false;
    },
  );
  return await Promise.race([responds, late.promise]).finally(() => clearTimeout(timer));
}
