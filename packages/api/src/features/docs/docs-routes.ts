import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runOnce } from "@berth/concurrency";
import { errors } from "@berth/store/errors";
import type { HttpApp } from "../../http/http-app.ts";
import { Asset } from "./asset.ts";
import { mountFrontPage } from "./front-page.ts";
import { readOpenApi } from "./open-api.ts";
import { protect } from "./policies.ts";
import { type Read, readRoutes } from "./read.ts";
import { mountReference } from "./reference.ts";

/**
 * Serves the API reference at `/docs`, the guides, the OpenAPI document and the front page, without
 * authentication. Rarely requested pages are read and rendered at their first request.
 *
 * @param publicUrl base URL in the document; null when clients use the URL that they connect to.
 */
export function mountDocs({ fastify, acceptsSignIns }: HttpApp, publicUrl: string | null): void {
  const read = readRoutes(fastify);
  mountFrontPage(read, acceptsSignIns);
  mountReference(read);
  mountGuides(read);
  const document = runOnce(() => readOpenApi(publicUrl));
  for (const url of ["/openapi.json", "/docs/openapi.json"])
    read(url, async (request, reply) => (await document()).send(request, reply, "no-cache"));
}

function mountGuides(read: Read): void {
  const style = new Asset(
    "text/css; charset=utf-8",
    readFileSync(join(import.meta.dirname, "style.css"), "utf8"),
  );
  const rendered = runOnce(async () => {
    const { guideList, readGuides } = await import("./guides.ts");
    const guides = readGuides();
    return { list: guideList(guides), pages: new Map(guides.map(({ name, page }) => [name, page])) };
  });
  read("/docs/style.css", async (request, reply) => style.send(request, reply, "no-cache"));
  read("/docs/guides", async (request, reply) =>
    (await rendered()).list.send(request, protect(reply), "no-cache"),
  );
  read("/docs/guides/:name", async (request, reply) => {
    const { name } = request.params as { name: string };
    const page = (await rendered()).pages.get(name);
    if (page === undefined) throw errors.unknownPath(request.method, request.url);
    return page.send(request, protect(reply), "no-cache");
  });
}
