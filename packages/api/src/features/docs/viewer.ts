import Fastify from "fastify";
import { Asset } from "./asset.ts";

/**
 * Settings of the viewer. It loads only the document of this service: no fonts, no proxy for its requests, no
 * telemetry, no assistant, and no links to its makers' services. Tokens stay in the page's memory.
 */
const settings = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  hiddenClients: true,
  modelsSectionLabel: "Objects",
  documentDownloadType: "direct",
  authentication: { preferredSecurityScheme: "token" },
};

/**
 * Script that runs before the viewer's script, and starts the viewer when that is loaded. It gives the page's
 * nonce to all style elements; the viewer itself gives it only to the first. `#agents.create` in an address
 * opens the operation with this id.
 */
const starting = `const { nonce } = document.currentScript;
const create = document.createElement.bind(document);
document.createElement = (name, options) => Object.assign(create(name, options), name === "style" ? { nonce } : {});
const wanted = location.hash.slice(1);
if (/^\\w+\\.\\w+$/.test(wanted)) history.replaceState(null, "", "#tag/" + wanted.split(".")[0].toLowerCase() + "/" + wanted);
addEventListener("DOMContentLoaded", () =>
  Scalar.createApiReference("#reference", {
    ...${JSON.stringify(settings)},
    servers: [{ url: location.origin }],
    generateOperationSlug: ({ operationId }) => operationId,
  }),
);
`;

export const start = new Asset("text/javascript; charset=utf-8", starting);

let viewer: Promise<Asset> | undefined;

/** Returns the viewer's script. Its package is loaded lazily, since few processes serve it. */
export function viewerScript(): Promise<Asset> {
  viewer ??= readViewer();
  return viewer;
}

/** Takes the script from the package's Fastify plugin, the only place that contains it. */
async function readViewer(): Promise<Asset> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const inner = Fastify({ logger: false });
  inner.register(scalar, { routePrefix: "/viewer", configuration: { url: settings.url } });
  const { body } = await inner.inject({ method: "GET", url: "/viewer/js/scalar.js" });
  await inner.close();
  return new Asset("text/javascript; charset=utf-8", body);
}
