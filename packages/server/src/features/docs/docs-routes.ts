import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpApp } from "../../http/http-app.ts";
import { docsPage } from "./docs-page.ts";

const style = readFileSync(join(import.meta.dirname, "style.css"), "utf8");

const headers = {
  "content-security-policy": "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
};

/** Serves the API reference at `/docs`, without authentication. */
export function mountDocs({ fastify }: HttpApp, openApi: object): void {
  const page = docsPage({ ...openApi });
  fastify.get("/docs", async (_request, reply) =>
    reply.headers(headers).header("content-type", "text/html; charset=utf-8").send(page),
  );
  fastify.get("/docs/style.css", async (_request, reply) =>
    reply.headers(headers).header("content-type", "text/css; charset=utf-8").send(style),
  );
}
