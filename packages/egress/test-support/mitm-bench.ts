import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificates } from "../../../tests/git-host/certificates.ts";
import type { NetworkNamespace } from "../src/capture/network-namespace.ts";
import { createEgress } from "../src/egress.ts";
import { openCertificateAuthority } from "../src/mitm/certificate-authority.ts";
import type { ProxiedCredential } from "../src/mitm/proxied-credential.ts";
import type { EgressDenied } from "../src/policy/denial-log.ts";
import { type Ran, runInside } from "./run-inside.ts";

/** A request as a host received it. Text has one character per byte. */
export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Hosts that record their requests, over TLS and plain HTTP, and a namespace with variable credentials. */
export interface MitmBench {
  /** The TLS port of `host.example` and `other.example`. */
  port: number;
  plainPort: number;
  /** Certificate of the authority that the sandbox trusts. `hostCaFile` is that of the hosts. */
  caFile: string;
  hostCaFile: string;
  received: ReceivedRequest[];
  /** Number of connections that the hosts have accepted so far. */
  connections: number;
  openConnections: number;
  /** Names resolve once this promise resolves. Default: already resolved. */
  resolving: Promise<void>;
  denied: EgressDenied[];
  credentials: ProxiedCredential[];
  namespace: NetworkNamespace;
  /** Responds to each request. Default: `ok`. */
  respond: (received: ReceivedRequest, response: ServerResponse) => void;
  inside(script: string): Promise<Ran>;
  /** Resolves when no connection to a host is open. */
  closed(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the hosts and a namespace. @param open Default: an egress with namespaces. */
export async function makeMitmBench(
  trusted?: readonly string[],
  open: typeof createEgress = createEgress,
): Promise<MitmBench> {
  const dir = await mkdtemp(join(tmpdir(), "exchange-"));
  const made = await makeCertificates(dir, ["host.example", "other.example"]);
  const received: ReceivedRequest[] = [];
  const denied: EgressDenied[] = [];
  const servers: Server[] = [];
  let onClosed: (() => void) | undefined;
  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    server.on("connection", (socket) => {
      bench.connections += 1;
      bench.openConnections += 1;
      socket.once("close", () => {
        bench.openConnections -= 1;
        onClosed?.();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  const serve: Parameters<typeof createHttpServer>[1] = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString("latin1") };
      received.push(one);
      bench.respond(one, response);
    });
  };
  const port = await listen(createServer({ key: made.key, cert: made.certificate }, serve));
  const plainPort = await listen(createHttpServer(serve));
  const authority = await openCertificateAuthority(join(dir, "authority"));
  const caFile = join(dir, "inside.pem");
  await writeFile(caFile, authority.certificate);
  const hosts = ["host.example", "other.example"].flatMap((name) => [
    `${name}:${port}`,
    `${name}:${plainPort}`,
  ]);
  const egress = await open({
    allowPrivate: hosts,
    resolve: async () => {
      await bench.resolving;
      return ["127.0.0.1"];
    },
    poolSize: 1,
    headTimeoutMs: 2_000,
    mitm: { authority, trusted: trusted ?? [await readFile(made.caFile, "utf8")] },
  });
  const namespace = await egress.open({
    policy: { mode: "limited", hosts },
    credentials: async () => bench.credentials,
    onDenied: (one) => denied.push(one),
  });
  const bench: MitmBench = {
    port,
    plainPort,
    caFile,
    hostCaFile: made.caFile,
    received,
    connections: 0,
    openConnections: 0,
    resolving: Promise.resolve(),
    closed: async () => {
      while (bench.openConnections > 0) await new Promise<void>((resolve) => (onClosed = resolve));
    },
    denied,
    credentials: [],
    namespace,
    respond: (_received, response) => response.end("ok"),
    inside: (script) => runInside(namespace, script),
    close: async () => {
      await egress.close();
      for (const server of servers) server.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return bench;
}
