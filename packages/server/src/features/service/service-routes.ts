import type { DatabaseAccess } from "../../db/database-access.ts";
import type { HttpApp } from "../../http/http-app.ts";

/** What speaks of the service itself, to whoever asks: whether it lives, what it measures, what it offers. */
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

/** Ready is whoever reaches its database within two seconds. */
async function isReady(db: DatabaseAccess, log: HttpApp["log"]): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), 2_000);
  const asked = db.read.query({ name: "ready", text: "select 1" }).then(
    () => true,
    (error: unknown) => {
      log.warn({ err: error }, "the database does not answer");
      return false;
    },
  );
  return await Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
}
