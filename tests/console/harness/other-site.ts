import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

/** A third-party web site, whose pages a test sets. */
export interface OtherSite {
  /** A URL on another site than `127.0.0.1`. */
  crossSite: string;
  /** A URL on the same site as `127.0.0.1`, so that browsers send its cookies, but on another origin. */
  sameSite: string;
  /** Sets the page at every path. */
  serve(html: string): void;
}

export async function startOtherSite(): Promise<OtherSite> {
  let page = "";
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end(`<!doctype html><title>Other</title>${page}`),
  );
  await once(server.listen(0), "listening");
  after(() => {
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    crossSite: `http://localhost:${port}`,
    sameSite: `http://127.0.0.1:${port}`,
    serve: (html) => {
      page = html;
    },
  };
}
