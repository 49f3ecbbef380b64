import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { makeCertificates } from "../../../../tests/git-host/certificates.ts";
import { runInside } from "../../test-support/run-inside.ts";
import type { NetworkNamespace } from "../capture/network-namespace.ts";
import type { Egress } from "../egress.ts";
import { createEgress } from "../egress.ts";
import type { EgressDenied } from "../policy/denial-log.ts";

let dir: string;
let ca: string;
let web: Server;
let secure: Server;
let webPort: number;
let port: number;
let egress: Egress;
let namespace: NetworkNamespace;
let denied: EgressDenied[] = [];
let seen: string[] = [];

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "egress-proxy-"));
  const made = await makeCertificates(dir, ["host.example"]);
  ca = made.caFile;
  const serve: RequestListener = (request, response) => {
    seen.push([request.method, request.url, request.headers["proxy-authorization"]].join(" ").trim());
    request.resume().on("end", () => response.end("hello"));
  };
  secure = createHttpsServer({ key: made.key, cert: made.certificate }, serve);
  web = createHttpServer(serve);
  [port, webPort] = [await listen(secure), await listen(web)];
  const hosts = [
    "host.example",
    `host.example:${port}`,
    `host.example:${webPort}`,
    "inner.example",
    "dead.example:1",
  ];
  egress = await createEgress({
    allowPrivate: [`host.example:${port}`, `host.example:${webPort}`, "dead.example"],
    resolve: async (name) => [name === "inner.example" ? "10.0.0.1" : "127.0.0.1"],
    poolSize: 0,
    headTimeoutMs: 2_000,
  });
  namespace = await egress.open({
    policy: { mode: "limited", hosts },
    onDenied: (one) => denied.push(one),
  });
});

after(async () => {
  await egress.close();
  secure.close();
  web.close();
  await rm(dir, { recursive: true });
});

beforeEach(() => {
  denied = [];
  seen = [];
});

const proxied = "curl -sS --proxy http://127.0.0.1:3128 --write-out '%{http_connect} %{http_code}'";

test("tunnel: TLS and plain HTTP to an allowed host pass unchanged", async () => {
  const tls = await run(`${proxied} --cacert ${ca} https://host.example:${port}/a`);
  assert.equal(tls.stdout, "hello200 200");
  const plain = await run(`${proxied} --proxytunnel http://host.example:${webPort}/b`);
  assert.equal(plain.stdout, "hello200 200");
  assert.deepEqual(seen, ["GET /a", "GET /b"]);
  assert.deepEqual(denied, []);
});

test("forwarded request: a path as target, without proxy headers", async () => {
  const { stdout } = await run(`${proxied} --proxy-user a:b --data x http://host.example:${webPort}/c?d`);
  assert.equal(stdout, "hello000 200");
  assert.deepEqual(seen, ["POST /c?d"]);
});

test("proxy: at every loopback address, and at no other", async () => {
  for (const address of ["127.1.2.3", "[::1]", "localhost"]) {
    const { stdout } = await run(`curl -sS --proxy http://${address}:3128 http://host.example:${webPort}/`);
    assert.equal(stdout, "hello", address);
  }
  for (const address of ["10.0.0.1", "[2001:4860::1]"]) {
    assert.notEqual((await run(`curl -sS --proxy http://${address}:3128 http://host.example/`)).code, 0);
    assert.deepEqual(denied.at(-1), {
      host: address.replace(/[[\]]/g, ""),
      port: 3128,
      reason: "not_allowed",
    });
  }
});

test("proxy: a host that is not allowed → 403 with a message", async () => {
  const { stdout } = await run(`curl -sS --proxy http://127.0.0.1:3128 http://evil.example/x`);
  assert.equal(stdout, "The network policy does not allow evil.example:80.\n");
  const { stdout: codes } = await run(`${proxied} https://evil.example/x`);
  assert.equal(codes, "403 000");
  assert.deepEqual(denied, [{ host: "evil.example", port: 80, reason: "not_allowed" }]);
});

test("proxy: a private address → 403; a closed port → 502", async () => {
  assert.equal((await run(`${proxied} https://inner.example/`)).stdout, "403 000");
  assert.deepEqual(denied, [{ host: "inner.example", port: 443, reason: "private_address" }]);
  assert.equal((await run(`${proxied} https://dead.example:1/`)).stdout, "502 000");
});

const tunnel = `CONNECT host.example:PORT HTTP/1.1\\r\\n\\r\\n`;

test("tunnel: anything but TLS and HTTP for its host → closed and reported", async () => {
  const cases = [
    ["SSH-2.0-x\\r\\n", "unknown_protocol"],
    [`GET / HTTP/1.1\\r\\nHost: other.example:${webPort}\\r\\n\\r\\n`, "name_mismatch"],
    ["CONNECT evil.example:443 HTTP/1.1\\r\\nHost: evil.example:443\\r\\n\\r\\n", "name_mismatch"],
  ] as const;
  for (const [text, reason] of cases) {
    denied = [];
    const own = await egress.open({
      policy: { mode: "limited", hosts: [`host.example:${webPort}`] },
      onDenied: (one) => denied.push(one),
    });
    const script = `exec 5<>/dev/tcp/127.0.0.1/3128; printf '${tunnel.replace("PORT", String(webPort))}' >&5
read -r line <&5; echo "$line"; read -r line <&5; printf '${text}' >&5; timeout 5 cat <&5; echo closed`;
    const { stdout } = await runInside(own, `timeout 10 bash -c '${script.replaceAll("'", "'\\''")}'`);
    assert.equal(stdout.replaceAll("\r", ""), "HTTP/1.1 200 Connection established\nclosed\n");
    assert.deepEqual(denied, [{ host: "host.example", port: webPort, reason }]);
    await own.close();
  }
  const fronted = `curl -sSk --proxy http://127.0.0.1:3128 --connect-to other.example:443:host.example:${port} https://other.example/`;
  assert.notEqual((await run(fronted)).code, 0);
  assert.deepEqual(denied.at(-1), { host: "host.example", port, reason: "name_mismatch" });
  assert.deepEqual(seen, []);
});

test("tunnel: a new policy without its host → closed", async () => {
  const own = await egress.open({ policy: { mode: "limited", hosts: [`host.example:${webPort}`] } });
  const opened = once(web, "connection");
  const waiting = runInside(
    own,
    `timeout 10 bash -c 'exec 5<>/dev/tcp/127.0.0.1/3128; printf "${tunnel.replace("PORT", String(webPort))}" >&5; cat <&5'`,
  );
  await opened;
  own.setPolicy({ mode: "limited", hosts: [] });
  await waiting;
  await own.close();
});

test("DNS over TCP: allowed name → address; other name → NXDOMAIN", async () => {
  const program = `
    use IO::Socket::INET;
    for my $name ("host.example", "asked.example") {
      my $s = IO::Socket::INET->new(PeerAddr => "9.9.9.9:53", Timeout => 5) or die;
      my $q = pack("nnnnnn", 7, 256, 1, 0, 0, 0) . join("", map { pack("C/a", $_) } split(/\\./, $name)) . pack("Cnn", 0, 1, 1);
      print $s pack("n/a", $q); $s->flush;
      read($s, my $l, 2) == 2 or die; read($s, my $r, unpack("n", $l)) or die;
      my (undef, $flags, undef, $answers) = unpack("nnnn", $r);
      print $name, " ", $flags & 15, " ", $answers, "\\n";
    }`;
  const { stdout } = await run(`perl -e '${program}'`);
  assert.equal(stdout, "host.example 0 1\nasked.example 3 0\n");
  assert.deepEqual(denied, [{ host: "asked.example", port: null, reason: "not_allowed" }]);
});

function run(script: string): ReturnType<typeof runInside> {
  return runInside(namespace, script);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
