import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { makeCertificates } from "../../../tests/git-host/certificates.ts";
import { runInside } from "../test-support/run-inside.ts";
import { until } from "../test-support/until.ts";
import type { NetworkNamespace } from "./capture/network-namespace.ts";
import type { Egress } from "./egress.ts";
import { createEgress } from "./egress.ts";
import type { EgressDenied } from "./policy/denial-log.ts";
import { EgressError } from "./policy/egress-error.ts";

const payload = randomBytes(32 * 1024 * 1024);
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

let dir: string;
let ca: string;
let web: Server;
let secure: Server;
let webPort: number;
let port: number;
let egress: Egress;
let denied: EgressDenied[];
let namespace: NetworkNamespace;

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "egress-"));
  const made = await makeCertificates(dir, ["host.example", "other.example", "app.localhost"]);
  ca = made.caFile;
  secure = createHttpsServer({ key: made.key, cert: made.certificate }, serve);
  web = createHttpServer(serve);
  [port, webPort] = [await listen(secure), await listen(web)];
  egress = await createEgress(options());
  namespace = await egress.open({ policy: policy(), onDenied: (one) => denied.push(one) });
  denied = [];
});

after(async () => {
  await egress.close();
  secure.close();
  web.close();
  await rm(dir, { recursive: true, force: true });
});

const addresses: Record<string, string[]> = {
  "host.example": ["127.0.0.1"],
  "other.example": ["127.0.0.1"],
  "app.localhost": ["127.0.0.1"],
  "metadata.example": ["169.254.169.254", "fd00:ec2::254", "::ffff:10.0.0.1"],
};

const policy = (): { mode: "limited"; hosts: string[] } => ({
  mode: "limited",
  hosts: [
    `host.example:${port}`,
    `host.example:${webPort}`,
    `app.localhost:${port}`,
    `other.example:${port}`,
    "metadata.example",
    "missing.example",
  ],
});

const options = (): Parameters<typeof createEgress>[0] => ({
  allowPrivate: [`host.example:${port}`, `host.example:${webPort}`, `app.localhost:${port}`],
  resolve: async (name) => addresses[name] ?? (await Promise.reject(new Error("no such name"))),
  poolSize: 1,
});

test("allowed host: reached over https at the port of the policy", async () => {
  const { stdout, stderr } = await inside(`curl -sS --cacert ${ca} https://host.example:${port}/hello`);
  assert.deepEqual([stdout, stderr], ["hello", ""]);
});

test("allowed host: reached over plain HTTP", async () => {
  assert.equal((await inside(`curl -sS http://host.example:${webPort}/hello`)).stdout, "hello");
});

test("plain HTTP: a second request on a connection reaches no host", async () => {
  const request = (host: string) => `GET /hello HTTP/1.1\\r\\nHost: ${host}:${webPort}\\r\\n\\r\\n`;
  const script = `exec 5<>/dev/tcp/host.example/${webPort}
printf '${request("host.example")}${request("evil.example")}' >&5; cat <&5`;
  const { stdout } = await inside(`timeout 10 bash -c '${script.replaceAll("'", "'\\''")}'`);
  assert.equal(stdout.match(/HTTP\/1\.1 200/g)?.length, 1, stdout);
  assert.match(stdout, /connection: close/i);
});

test("name below localhost: clients dial 127.0.0.1 → reached by its server name", async () => {
  const { stdout } = await inside(`curl -sS --cacert ${ca} https://app.localhost:${port}/hello`);
  assert.equal(stdout, "hello");
});

test("name that is not allowed → NXDOMAIN and a denial", async () => {
  const { code } = await inside("curl -sS http://evil.example/");
  assert.equal(code, 6);
  assert.deepEqual(lastDenied(), { host: "evil.example", port: null, reason: "not_allowed" });
});

test("allowed name that does not resolve → reported as unresolvable", async () => {
  assert.notEqual((await inside(`curl -sS http://missing.example/`)).code, 0);
  assert.deepEqual(lastDenied(), { host: "missing.example", port: 80, reason: "unresolvable" });
});

test("literal addresses: public, metadata and loopback → denied", async () => {
  for (const address of [
    "1.1.1.1",
    "169.254.169.254",
    "127.0.0.1",
    "10.0.0.1",
    "198.18.200.1",
    "[::1]",
    "[2606:4700::1111]",
  ]) {
    assert.notEqual((await inside(`curl -sS http://${address}/`)).code, 0);
    const host = address.replace(/[[\]]/g, "");
    assert.deepEqual(lastDenied(), { host, port: 80, reason: "not_allowed" });
  }
  assert.notEqual((await inside(`curl -sSk https://127.0.0.1:${port}/hello`)).code, 0);
});

test("loopback: a connection that the client gives up is no denial", async () => {
  const refused: EgressDenied[] = [];
  const own = await egress.open({ policy: policy(), onDenied: (one) => refused.push(one) });
  // Clients that try both families at once close the slower connection without a byte, or within their hello.
  const giveUp = ["127.0.0.1", "::1"].flatMap((address) => [
    `exec 5<>/dev/tcp/${address}/${port}; exec 5>&-`,
    `exec 5<>/dev/tcp/${address}/${port}; printf '\\x16\\x03\\x01' >&5; exec 5>&-`,
  ]);
  const last = `curl -sSk https://127.0.0.2:${port}/`;
  await runInside(own, `timeout 20 bash -c "${giveUp.join("; ")}"; ${last}`);
  assert.deepEqual(refused, [{ host: "127.0.0.2", port, reason: "no_server_name" }]);
  await own.close();
});

test("port that no policy names → connection refused", async () => {
  assert.equal((await inside("curl -sS http://host.example:81/")).code, 7);
  assert.equal((await inside("curl -sS http://[::1]:81/")).code, 7);
});

test("allowed name with private addresses → denied unless the operator lists it", async () => {
  assert.notEqual((await inside("curl -sS http://metadata.example/")).code, 0);
  assert.deepEqual(lastDenied(), { host: "metadata.example", port: 80, reason: "private_address" });
  assert.notEqual((await inside(`curl -sSk https://other.example:${port}/`)).code, 0);
  assert.deepEqual(lastDenied(), { host: "other.example", port, reason: "private_address" });
});

const impostors = [
  {
    what: "a server name other than the one that was dialled",
    script: () => `curl -sSk --connect-to other.example:443:host.example:${port} https://other.example/hello`,
    expected: () => ({ host: "host.example", port, reason: "name_mismatch" }),
  },
  {
    what: "another Host header",
    script: () => `curl -sS -H 'Host: other.example' http://host.example:${webPort}/hello`,
    expected: () => ({ host: "host.example", port: webPort, reason: "name_mismatch" }),
  },
  {
    what: "a TLS hello without a server name",
    script: () => `echo | timeout 5 openssl s_client -noservername -connect host.example:${port}`,
    expected: () => ({ host: "host.example", port, reason: "no_server_name" }),
  },
];

for (const { what, script, expected } of impostors) {
  test(`${what} → denied`, async () => {
    const refused: EgressDenied[] = [];
    const own = await egress.open({ policy: policy(), onDenied: (one) => refused.push(one) });
    const { stdout } = await runInside(own, script());
    assert.ok(!stdout.includes("hello"));
    assert.deepEqual(refused, [expected()]);
    await own.close();
  });
}

test("silent client, other protocol → the connection is closed", async () => {
  const impatient = await createEgress({ ...options(), headTimeoutMs: 400 });
  const own = await impatient.open({ policy: policy() });
  const silent = `timeout 60 bash -c 'exec 5<>/dev/tcp/host.example/${port}; read -r line <&5; echo closed'`;
  assert.equal((await runInside(own, silent)).stdout, "closed\n");
  const other = `timeout 60 bash -c 'exec 5<>/dev/tcp/host.example/${port}; echo SSH-2.0-x >&5; read -r line <&5; echo closed'`;
  assert.equal((await runInside(own, other)).stdout, "closed\n");
  await impatient.close();
});

test("TLS: a hello sent byte by byte is read", async () => {
  const program = `
    const { connect } = require("node:net");
    const { Duplex } = require("node:stream");
    const raw = connect(${port}, "host.example").setNoDelay();
    const socket = new Duplex({
      read() {},
      async write(chunk, _, done) {
        for (const byte of chunk) await new Promise((sent) => raw.write(Buffer.from([byte]), sent));
        done();
      },
    });
    raw.on("data", (chunk) => socket.push(chunk));
    const ca = require("node:fs").readFileSync("${ca}");
    const tls = require("node:tls").connect({ socket, servername: "host.example", ca });
    tls.once("secureConnect", () => process.stdout.write("secure", () => process.exit()));`;
  assert.equal((await inside(`timeout 60 ${process.execPath} -e '${program}'`)).stdout, "secure");
});

test("transfer: 32 MiB in each direction arrive complete", async () => {
  const url = `https://host.example:${port}`;
  const down = await inside(`curl -sS --cacert ${ca} ${url}/payload | sha256sum`);
  assert.equal(down.stdout.slice(0, 64), sha256(payload));
  await writeFile(join(dir, "payload"), payload);
  const up = await inside(`curl -sS --cacert ${ca} --data-binary @${dir}/payload ${url}/digest`);
  assert.equal(up.stdout, sha256(payload));
});

test("fifty connections at once: each gets its response", async () => {
  const url = `https://host.example:${port}/hello`;
  const urls = Array.from({ length: 50 }, () => `-o - ${url}`).join(" ");
  const { stdout } = await inside(
    `curl -sS --parallel --parallel-immediate --parallel-max 50 --http1.1 -H 'Connection: close' --cacert ${ca} ${urls}`,
  );
  assert.equal(stdout, "hello".repeat(50));
});

test("setPolicy: applies at once, also to open connections", async () => {
  const own = await egress.open({ policy: { mode: "limited", hosts: [] } });
  assert.equal((await runInside(own, `curl -sS http://host.example/`)).code, 6);
  own.setPolicy(policy());
  const reached = await runInside(
    own,
    `curl -sS --retry 10000 --retry-max-time 30 --retry-connrefused --retry-delay 0 --cacert ${ca} https://host.example:${port}/hello`,
  );
  assert.equal(reached.stdout, "hello");
  const requested = once(secure, "request");
  const endless = runInside(own, `curl -sS --cacert ${ca} https://host.example:${port}/endless`);
  await requested;
  own.setPolicy({ mode: "limited", hosts: [] });
  assert.notEqual((await endless).code, 0);
  assert.throws(() => own.setPolicy({ mode: "limited", hosts: ["10.0.0.1"] }), EgressError);
  await own.close();
});

test("refused hosts: neither resolved nor reached, whatever a policy allows, and others are", async (t) => {
  const other = await createEgress({ ...options(), refused: ["*.host.example", "host.example"] });
  t.after(() => other.close());
  for (const mode of ["limited", "unrestricted"] as const) {
    const hosts = [`host.example:${webPort}`, `app.localhost:${port}`, `x.host.example:${webPort}`];
    const refused: EgressDenied[] = [];
    const opened = await other.open({ policy: { mode, hosts }, onDenied: (one) => refused.push(one) });
    t.after(() => opened.close());
    for (const url of [`http://host.example:${webPort}/hello`, `http://x.host.example:${webPort}/hello`])
      assert.notEqual((await runInside(opened, `curl -sS -m 20 ${url}`)).code, 0, `${mode} ${url}`);
    assert.deepEqual([...new Set(refused.map(({ host }) => host))], ["host.example", "x.host.example"]);
    const { stdout } = await runInside(opened, `curl -sS --cacert ${ca} https://app.localhost:${port}/hello`);
    assert.equal(stdout, "hello");
  }
});

test("unrestricted: every name resolves; private and literal addresses are denied", async () => {
  const refused: EgressDenied[] = [];
  const own = await egress.open({
    policy: { mode: "unrestricted", hosts: [] },
    onDenied: (one) => refused.push(one),
  });
  await runInside(
    own,
    "curl -sS http://metadata.example/; curl -sS http://whatever.example/; curl -sS http://1.1.1.1/",
  );
  assert.deepEqual(refused, [
    { host: "metadata.example", port: 80, reason: "private_address" },
    { host: "whatever.example", port: 80, reason: "unresolvable" },
    { host: "1.1.1.1", port: 80, reason: "not_allowed" },
  ]);
  await own.close();
});

test("denials: a host is reported at most once a second", async () => {
  const refused: EgressDenied[] = [];
  const own = await egress.open({
    policy: { mode: "limited", hosts: [] },
    onDenied: (one) => refused.push(one),
  });
  const begun = performance.now();
  await runInside(own, `curl -sS ${"http://1.2.3.4/ ".repeat(5)}`);
  const most = 1 + Math.floor((performance.now() - begun) / 1_000);
  assert.ok(1 <= refused.length && refused.length <= most, `${refused.length} times of ${most}`);
  await own.close();
});

test("open: an invalid host in the policy → EgressError", async () => {
  await assert.rejects(egress.open({ policy: { mode: "limited", hosts: ["http://x"] } }), EgressError);
});

const isRoot = process.getuid?.() === 0;

test("open: as an unprivileged user → the same access", {
  skip: !isRoot && "needs root to become another user",
}, async () => {
  const program = `
    const { createEgress } = await import("${import.meta.resolve("./egress.ts")}");
    const { runInside } = await import("${import.meta.resolve("../test-support/run-inside.ts")}");
    const egress = await createEgress({ allowPrivate: ["app.localhost"], poolSize: 0 });
    const one = await egress.open({ policy: { mode: "limited", hosts: ["app.localhost:${port}"] } });
    const allowed = await runInside(one, "curl -sS --cacert ${ca} https://app.localhost:${port}/hello");
    const refused = await runInside(one, "curl -sS http://169.254.169.254/; curl -sS http://evil.example/");
    console.log(JSON.stringify([process.getuid(), allowed.stdout, refused.stdout, refused.code]));
    await egress.close();`;
  await chmod(dir, 0o755);
  const drop = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  const options = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)("setpriv", [...drop, process.execPath, ...options]);
  assert.equal(stdout, '[65534,"hello","",6]\n');
});

test("close: no socket or namespace is left, and a second call has no effect", async () => {
  const own = await createEgress({ poolSize: 2 });
  const before = sockets();
  const opened = await Promise.all([1, 2, 3].map(() => own.open({ policy: policy() })));
  assert.ok(sockets() > before);
  await Promise.all(opened.flatMap((one) => [one.close(), one.close()]));
  await own.close();
  await own.close();
  await until(
    () => namespaceDescriptors() === 1 + 1,
    () => "there is not just the shared namespace and one in its pool",
  );
  await assert.rejects(own.open({ policy: policy() }), EgressError);
});

test("recent ports: open from the start where a policy names them, and nowhere else", async () => {
  const own = await createEgress({ poolSize: 0 });
  const listened = async (hosts: string[]): Promise<string[]> => {
    const namespace = await own.open({ policy: { mode: "limited", hosts } });
    const { stdout } = await runInside(namespace, "cat /proc/net/tcp6 /proc/net/tcp");
    await namespace.close();
    return (stdout.match(/(?<=:)[0-9A-F]{4}(?= 0+:0000 0A)/g) ?? []).sort();
  };
  const usual = await listened(["host.example"]);
  assert.ok(!usual.includes("0D05"));
  for (const _ of ["late", "early"])
    assert.deepEqual(await listened(["host.example:3333"]), [...usual, "0D05"].sort());
  assert.deepEqual(await listened(["host.example"]), usual);
  await own.close();
});

function inside(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return runInside(namespace, script);
}

function lastDenied(): EgressDenied | undefined {
  return denied.at(-1);
}

function descriptors(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

const sockets = (): number => descriptors().filter((target) => target.startsWith("socket:")).length;
const namespaceDescriptors = (): number => descriptors().filter((target) => /^net:/.test(target)).length;

const serve: RequestListener = async (request, response) => {
  if (request.url === "/payload") return response.end(payload);
  if (request.url === "/endless") return response.write("x");
  if (request.url !== "/digest") return response.end("hello");
  const hash = createHash("sha256");
  for await (const chunk of request) hash.update(chunk);
  return response.end(hash.digest("hex"));
};

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
