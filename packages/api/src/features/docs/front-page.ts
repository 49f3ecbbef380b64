import { Asset } from "./asset.ts";
import { html } from "./html.ts";
import { textPage } from "./pages.ts";
import { protect } from "./policies.ts";
import type { Read } from "./read.ts";

const CONSOLE = "/console/";

const places = {
  docs: "/docs",
  guides: "/docs/guides",
  openapi: "/openapi.json",
  api: "/api/v1/cloud",
  live: "/livez",
  ready: "/readyz",
  metrics: "/metrics",
};

/** Mounts `GET /`, which lists the service's addresses: a page for browsers, JSON for other clients. */
export function mountFrontPage(read: Read, hasConsole: boolean): void {
  const all = { name: "Berth", ...(hasConsole ? { console: CONSOLE } : {}), ...places };
  const json = new Asset("application/json; charset=utf-8", JSON.stringify(all));
  const page = textPage(
    "Berth",
    html`<h1>Berth</h1><p>Coding agents in sandboxed sessions, behind an HTTP API.</p>
<ul>${
      hasConsole
        ? html`<li><a href="${CONSOLE}">Console</a></li>
`
        : null
    }<li><a href="${places.docs}">API reference</a>, with the <a href="${places.openapi}">OpenAPI document</a></li>
<li><a href="${places.guides}">Guides</a></li>
<li>The API is below <code>${places.api}</code>; each request carries a token.</li>
<li>Health: <a href="${places.live}">${places.live}</a>, <a href="${places.ready}">${places.ready}</a>; metrics at <code>${places.metrics}</code></li></ul>`,
  );
  read("/", async (request, reply) => {
    const asset = request.headers.accept?.includes("text/html") ? page : json;
    return asset.send(request, protect(reply).header("vary", "accept"), "no-cache");
  });
}
