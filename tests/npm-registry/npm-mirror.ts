import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { makeCertificates } from "../git-host/certificates.ts";

/** An npm registry over https on loopback that passes on what this machine's registry has. */
export interface NpmMirror {
  /** `npm.localhost:PORT` */
  host: string;
  url: string;
  caFile: string;
  stop(): Promise<void>;
}

/** Starts a mirror of the registry that npm uses on this machine. @param dir the directory for its certificates. */
export async function startNpmMirror(dir: string): Promise<NpmMirror> {
  const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"]);
  const origin = stdout.trim().replace(/\/$/, "");
  const { caFile, key, certificate } = await makeCertificates(dir, ["npm.localhost"]);
  const server = createServer({ key, cert: certificate }, async (request, response) => {
    const accept = request.headers.accept ?? "*/*";
    try {
      const answer = await fetch(`${origin}${request.url}`, { headers: { accept } });
      const type = answer.headers.get("content-type") ?? "application/octet-stream";
      const content = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, { "content-type": type });
      response.end(
        type.includes("json") ? content.toString().replaceAll(`"${origin}/`, `"${url}/`) : content,
      );
    } catch {
      response.writeHead(502).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `npm.localhost:${(server.address() as AddressInfo).port}`;
  const url = `https://${host}`;
  const stop = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { host, url, caFile, stop };
}
