import { errors } from "@berth/store/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { encodingFor, listed } from "../../../http/accepted-encoding.ts";
import type { HttpApp } from "../../../http/http-app.ts";
import { html } from "../../docs/html.ts";
import type { Read } from "../../docs/read.ts";
import { Bundle, type BundleFile } from "./bundle.ts";
import { plainPage } from "./plain-page.ts";
import { protectRoute } from "./policies.ts";

const FOR_GOOD = "public, max-age=31536000, immutable";

/**
 * Serves the console: its page at /console/ and at each path below it without an extension, and its assets,
 * whose names change with their content.
 */
export function mountPages({ fastify }: HttpApp, directory: string): void {
  const read = protectedRoutes(fastify);
  const bundle = new Bundle(directory);
  read("/console", async (_request, reply) => reply.redirect("/console/", 302));
  read("/console/assets/:name", async (request, reply) => {
    const { name } = request.params as { name: string };
    const file = await bundle.asset(name, encodingOf(request));
    if (file === null) throw unknownPath(request);
    return send(request, reply, file, FOR_GOOD);
  });
  read("/console/*", async (request, reply) => {
    const { "*": path } = request.params as { "*": string };
    if (/\.\w+$/.test(path) || /^(assets|auth)(\/|$)/.test(path)) throw unknownPath(request);
    const file = await bundle.page(encodingOf(request));
    return file === null ? notBuilt(reply) : send(request, reply, file, "no-cache");
  });
}

function protectedRoutes(fastify: FastifyInstance): Read {
  return (url, handler) => {
    fastify.route({ method: ["GET", "HEAD"], url, onRequest: protectRoute, handler });
  };
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, encoding, etag }: BundleFile,
  cacheControl: string,
): FastifyReply {
  reply.headers({ etag, vary: "accept-encoding", "cache-control": cacheControl });
  if (listed(request.headers["if-none-match"]).includes(etag)) return reply.code(304).send();
  if (encoding !== null) reply.header("content-encoding", encoding);
  return reply.header("content-type", type).send(content);
}

function notBuilt(reply: FastifyReply): FastifyReply {
  const text = html`<h1>The console is not built</h1>
<p>Its files are missing. In a clone of Berth, <code>script/setup</code> builds them; then load this page again.</p>`;
  return plainPage(reply, 503, text);
}

function encodingOf(request: FastifyRequest) {
  return encodingFor(request.headers["accept-encoding"]);
}

function unknownPath({ method, raw }: FastifyRequest): Error {
  return errors.unknownPath(method, raw.url?.split("?")[0] ?? "");
}
