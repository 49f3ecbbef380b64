import { randomBytes } from "node:crypto";
import { errors } from "@berth/store/errors";
import { referencePage } from "./pages.ts";
import { protectViewer } from "./policies.ts";
import type { Read } from "./read.ts";
import { start, viewerScript } from "./viewer.ts";

const FOR_GOOD = "public, max-age=31536000, immutable";

/** Mounts the API reference: a page and its two scripts, whose addresses contain a hash of their content. */
export function mountReference(read: Read): void {
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
