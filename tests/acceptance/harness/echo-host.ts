import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { makeCertificates } from "../../git-host/certificates.ts";

/** A received request; `all` has everything as JSON. */
export interface RecordedRequest {
  host: string;
  line: string;
  authorization: string;
  all: string;
}

/** An https server with several names below `localhost` that echoes requests, secrets included. */
export interface EchoHost {
  port: number;
  caFile: string;
  requests: RecordedRequest[];
  /** The token of the npm registry at `/npm/`, which has one package, `tiny`. */
  registryToken: string;
  stop(): Promise<void>;
}

/** Starts the server: `/to?<url>` redirects, `/npm/` is a registry, any other path echoes the request. */
export async function startEchoHost(dir: string, names: readonly string[]): Promise<EchoHost> {
  mkdirSync(dir, { recursive: true });
  const { caFile, key, certificate } = await makeCertificates(dir, names);
  const tarball = packTiny(dir);
  const requests: RecordedRequest[] = [];
  const host: EchoHost = { port: 0, caFile, requests, registryToken: "", stop: async () => undefined };
  const server = createServer({ key, cert: certificate }, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("latin1");
    const { method, url = "", headers, rawHeaders } = request;
    const all = JSON.stringify({ method, url, rawHeaders, body });
    const { host: name = "", authorization = "" } = headers;
    requests.push({ host: name, line: `${method} ${url}`, authorization, all });
    if (url.startsWith("/to?")) response.writeHead(302, { location: decodeURIComponent(url.slice(4)) }).end();
    else if (url.startsWith("/npm/")) respondAsNpm(host, tarball, request, response);
    else response.writeHead(200, { "content-type": "application/json", "x-echo": authorization }).end(all);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  host.port = (server.address() as AddressInfo).port;
  host.stop = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return host;
}

function respondAsNpm(
  host: EchoHost,
  tarball: Buffer,
  { url, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (headers.authorization !== `Bearer ${host.registryToken}`) {
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":"unauthorized"}');
    return;
  }
  if (url === "/npm/tiny/-/tiny-1.0.0.tgz") {
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(tarball);
    return;
  }
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: `https://${headers.host}/npm/tiny/-/tiny-1.0.0.tgz`, integrity };
  const version = { name: "tiny", version: "1.0.0", dist };
  const document = { name: "tiny", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
}

function packTiny(dir: string): Buffer {
  mkdirSync(join(dir, "package"));
  writeFileSync(join(dir, "package", "package.json"), '{"name":"tiny","version":"1.0.0","main":"index.js"}');
  writeFileSync(join(dir, "package", "index.js"), "module.exports = 7;\n");
  execFileSync("tar", ["-czf", "tiny.tgz", "package"], { cwd: dir });
  return readFileSync(join(dir, "tiny.tgz"));
}
