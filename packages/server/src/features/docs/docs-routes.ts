import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpApp } from "../../http/http-app.ts";
import { Asset } from "./asset.ts";
import { mountFrontPage } from "./front-page.ts";
import { guideList, readGuides } from "./guides.ts";
import { protect } from "./policies.ts";
import { type Read, readRoutes } from "./read.ts";
import { mountReference } from "./reference.ts";

/** Serves the API reference at `/docs`, the guides, the OpenAPI document and the front page, without authentication. */
export function mountDocs({ fastify }: HttpApp, openApi: object): void {
  const read = readRoutes(fastify);
  mountFrontPage(read);
  mountReference(read);
  mountGuides(read);
  const document = new Asset("application/json; charset=utf-8", JSON.stringify(openApi));
  for (const url of ["/openapi.json", "/docs/openapi.json"])
    read(url, async (request, reply) => document.send(request, reply, "no-cache"));
}

function mountGuides(read: Read): void {
  const style = new Asset(
    "text/css; charset=utf-8",
    readFileSync(join(import.meta.dirname, "style.css"), "utf8"),
  );
  const guides = readGuides();
  const list = guideList(guides);
  read("/docs/style.css", async (request, reply) => style.send(request, reply, "no-cache"));
  read("/docs/guides", async (request, reply) => list.send(request, protect(reply), "no-cache"));
  for (const { name, page } of guides)
    read(`/docs/guides/${name}`, async (request, reply) => page.send(request, protect(reply), "no-cache"));
}
