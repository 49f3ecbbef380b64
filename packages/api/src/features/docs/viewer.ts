import Fastify from "fastify";
import { Asset } from "./asset.ts";

/**
 * What the viewer is told. It loads nothing but the document of this service: no fonts, no proxy for its requests, no
 * telemetry, no assistant, and no links to services of its makers. Tokens stay in the memory of the page.
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
 * Runs before the viewer's script, and starts it once it is there. The style elements that it makes get the page's nonce,
 * which the viewer itself gives to its first one only.
 * `#agents.create` in an address is the operation with this id.
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

/** The viewer's script. Its package is loaded when it is first needed: few processes are asked for their documentation. */
export function viewerScript(): Promise<Asset> {
  viewer ??= readViewer();
  return viewer;
}

/** The package has its script inside a Fastify plugin, which serves it. */
async function readViewer(): Promise<Asset> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const inner = Fastify({ logger: false });
  inner.register(scalar, { routePrefix: "/viewer", configuration: { url: settings.url } });
  const { body } = await inner.inject({ method: "GET", url: "/viewer/js/scalar.js" });
  await inner.close();
  return new Asset("text/javascript; charset=utf-8", body);
}
