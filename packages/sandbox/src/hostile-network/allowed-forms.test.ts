// Subject: the egress of a sandbox, with every form of connection that must pass.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { makeCertificates } from "../../../../tests/git-host/certificates.ts";
import { allowedZone } from "../../test-support/hostile/hostile-forms.ts";
import { CAPTURE_KINDS, openHostileRange, type Range } from "../../test-support/hostile/hostile-range.ts";

for (const capture of CAPTURE_KINDS)
  suite(`captured in a ${capture}`, () => {
    const names = ["host", "upper", "dotted", "xn--bcher-kva", "deep.below"].map(
      (name) => `${name}.${allowedZone}`,
    );
    const megabytes = 8;

    let directory: string;
    let servers: Server[];
    let range: Range;
    let web: number;
    let tls: number;
    let connections = 0;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), "berth-allowed-"));
      const { key, certificate, caFile } = await makeCertificates(directory, names);
      servers = [createHttpServer(answer), createHttpsServer({ key, cert: certificate }, answer)];
      for (const server of servers) {
        server.on("connection", () => {
          connections += 1;
        });
        server.on("upgrade", (_, socket) => {
          socket.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
          );
          socket.pipe(socket);
        });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
      }
      [web, tls] = servers.map((server) => (server.address() as AddressInfo).port) as [number, number];
      range = await openHostileRange({
        capture,
        hosts: [`*.${allowedZone}:${web}`, `*.${allowedZone}:${tls}`],
        allowPrivate: [`127.0.0.1:${web}`, `127.0.0.1:${tls}`],
        resolve: async () => ["127.0.0.1"],
        certificates: [await readFile(caFile, "utf8")],
      });
    });

    after(async () => {
      await range.close();
      for (const server of servers) server.close();
      await rm(directory, { recursive: true });
    });

    const answer: RequestListener = async (request, response) => {
      if (request.url === "/large") return response.end(Buffer.alloc(megabytes * 1024 * 1024, "x"));
      const hash = createHash("sha256");
      let bytes = 0;
      for await (const chunk of request) {
        hash.update(chunk);
        bytes += chunk.length;
      }
      return response.end(`${request.method} ${request.url} ${bytes} ${hash.digest("hex").slice(0, 8)}`);
    };

    const nothing = createHash("sha256").digest("hex").slice(0, 8);
    const zeros = createHash("sha256")
      .update(Buffer.alloc(megabytes * 1024 * 1024))
      .digest("hex")
      .slice(0, 8);
    const viaProxy = "--proxy http://127.0.0.1:3128";

    /** The script of each form and its expected output. */
    const allowed: Record<string, () => [script: string, prints: string]> = {
      "plain http": () => [`curl -sS http://host.${allowedZone}:${web}/a`, `GET /a 0 ${nothing}`],
      "https, its certificate checked": () => [
        `curl -sS https://host.${allowedZone}:${tls}/a`,
        `GET /a 0 ${nothing}`,
      ],
      "upper case": () => [`curl -sS https://UPPER.Allowed.EXAMPLE:${tls}/`, `GET / 0 ${nothing}`],
      "upper case in plain http": () => [
        `curl -sS http://UPPER.Allowed.EXAMPLE:${web}/`,
        `GET / 0 ${nothing}`,
      ],
      "a name two levels down": () => [
        `curl -sS https://deep.below.${allowedZone}:${tls}/`,
        `GET / 0 ${nothing}`,
      ],
      "an international name in its ASCII form": () => [
        `curl -sS https://xn--bcher-kva.${allowedZone}:${tls}/`,
        `GET / 0 ${nothing}`,
      ],
      "a trailing dot in plain http": () => [
        `curl -sS http://dotted.${allowedZone}.:${web}/`,
        `GET / 0 ${nothing}`,
      ],
      "a trailing dot in a Host": () => [
        `curl -sS -H 'Host: host.${allowedZone}.:${web}' http://host.${allowedZone}:${web}/`,
        `GET / 0 ${nothing}`,
      ],
      "a trailing dot in a server name": () => [
        `printf 'GET /d HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -verify_quiet -servername dotted.${allowedZone}. -connect dotted.${allowedZone}:${tls} 2>/dev/null | tail -n 1`,
        `GET /d 0 ${nothing}`,
      ],
      "OPTIONS and an extension method": () => [
        `for method in OPTIONS PROPFIND; do curl -sS -X $method http://host.${allowedZone}:${web}/; done`,
        `OPTIONS / 0 ${nothing}PROPFIND / 0 ${nothing}`,
      ],
      "a large answer": () => [
        `curl -sS http://host.${allowedZone}:${web}/large | wc -c; curl -sS https://host.${allowedZone}:${tls}/large | wc -c`,
        `${megabytes * 1024 * 1024}\n${megabytes * 1024 * 1024}`,
      ],
      "a large body with a length": () => [
        `head -c ${megabytes}M /dev/zero >/data/zeros; curl -sS --data-binary @/data/zeros http://host.${allowedZone}:${web}/`,
        `POST / ${megabytes * 1024 * 1024} ${zeros}`,
      ],
      "a large body in chunks": () => [
        `head -c ${megabytes}M /dev/zero | curl -sS -X POST -H 'Transfer-Encoding: chunked' --data-binary @- http://host.${allowedZone}:${web}/`,
        `POST / ${megabytes * 1024 * 1024} ${zeros}`,
      ],
      "a body that waits to be asked for": () => [
        `curl -sS -H 'Expect: 100-continue' --data-binary xyz http://host.${allowedZone}:${web}/ | cut -d ' ' -f 1-3`,
        "POST / 3",
      ],
      "a WebSocket": () => [
        `timeout 10 bash -c 'exec 5<>/dev/tcp/host.${allowedZone}/${web}
printf "GET / HTTP/1.1\\r\\nHost: host.${allowedZone}:${web}\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n" >&5
while read -r line <&5 && [ "$line" != $'"'\\\\r'"' ]; do :; done; echo frames >&5; read -r line <&5; echo "$line"'`,
        "frames",
      ],
      "https through the proxy": () => [
        `curl -sS ${viaProxy} https://host.${allowedZone}:${tls}/p`,
        `GET /p 0 ${nothing}`,
      ],
      "http through the proxy": () => [
        `curl -sS ${viaProxy} http://host.${allowedZone}:${web}/p`,
        `GET /p 0 ${nothing}`,
      ],
      "http through a tunnel": () => [
        `curl -sS -p ${viaProxy} http://host.${allowedZone}:${web}/p`,
        `GET /p 0 ${nothing}`,
      ],
      "a large body through the proxy": () => [
        `head -c ${megabytes}M /dev/zero | curl -sS ${viaProxy} --data-binary @- http://host.${allowedZone}:${web}/`,
        `POST / ${megabytes * 1024 * 1024} ${zeros}`,
      ],
      "a proxy from the environment": () => [
        `https_proxy=http://localhost:3128 curl -sS https://host.${allowedZone}:${tls}/e`,
        `GET /e 0 ${nothing}`,
      ],
    };

    for (const [what, of] of Object.entries(allowed)) {
      test(`allowed form: ${what} → passes`, async () => {
        const [script, prints] = of();
        const { lines, denied } = await range.run(script);
        assert.deepEqual([lines.join("\n"), denied], [prints, []]);
      });
    }

    test("connections: TLS carries many requests, plain HTTP one each", async () => {
      const twice = (base: string) => `curl -sS ${base}/1 -o /dev/null ${base}/2 -o /dev/null`;
      const before = connections;
      await range.run(twice(`https://host.${allowedZone}:${tls}`));
      assert.equal(connections - before, 1);
      await range.run(twice(`http://host.${allowedZone}:${web}`));
      assert.equal(connections - before, 3);
    });
  });
