import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runOnce } from "@berth/concurrency";
import { errors } from "@berth/store/errors";
import type { HttpApp } from "../../http/http-app.ts";
import { Asset } from "./asset.ts";
import { mountFrontPage } from "./front-page.ts";
import { referencePage } from "./pages.ts";
import { protect, protectViewer } from "./policies.ts";
import { type Read, readRoutes } from "./read.ts";
import { start, viewerScript } from "./viewer.ts";

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

/** The document that `npm run openapi` writes. Generating it from the contract takes a third of a second. */
const FILE = join(import.meta.dirname, "../../../../contract/openapi.json");

/**
 * Reads the OpenAPI document of a service.
 *
 * @param publicUrl its base URL; null when clients use the URL that they connect to.
 */
async function readOpenApi(publicUrl: string | null): Promise<Asset> {
  const document = JSON.parse(await readFile(FILE, "utf8")) as object;
  const own = { ...document, ...(publicUrl !== null && { servers: [{ url: publicUrl }] }) };
  return new Asset("application/json; charset=utf-8", JSON.stringify(own));
}

const FOR_GOOD = "public, max-age=31536000, immutable";

/** Mounts the API reference: a page and its two scripts, whose addresses contain a hash of their content. */
function mountReference(read: Read): void {
  const startName = `start-${start.hash}.js`;
  const viewerName = async () => `viewer-${(await viewerScript()).hash}.js`;
  read("/docs", async (_request, reply) => {
    const nonce = randomBytes(16).toString("base64");
    return protectViewer(reply, nonce)
      .headers({ "cache-control": "no-store", "content-type": "text/html; charset=utf-8" })
      .send(referencePage(nonce, [startName, await viewerName()]));
  });
  read("/docs/assets/:name", async (request, reply) => {
    const { name } = request.params as { name: string };
    if (name === startName) return await start.send(request, reply, FOR_GOOD);
    if (name === (await viewerName())) return await (await viewerScript()).send(request, reply, FOR_GOOD);
    throw errors.unknownPath(request.method, request.url);
  });
}
