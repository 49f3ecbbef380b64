import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createGuardedFetch } from "../fetch/guarded-fetch.ts";
import { parseHostName } from "../names/host-name.ts";
import { dial } from "../relay/dial.ts";
import { connectThrough } from "./connect-through.ts";
import { OutgoingProxies } from "./outgoing-proxies.ts";

const TARGET = { address: "192.0.2.1", port: 443 };

test("outgoing proxy: asked for the checked address, with its user and password", async (t) => {
  const proxy = await startProxy(t, 200);
  const socket = await connectThrough(new URL(`http://a%40b:p%3Aw@127.0.0.1:${proxy.port}`), TARGET);
  socket.destroy();
  const v6 = await connectThrough(new URL(`http://127.0.0.1:${proxy.port}`), {
    ...TARGET,
    address: "2001:db8::1",
  });
  v6.destroy();
  assert.deepEqual(proxy.asked, [
    ["192.0.2.1:443", `Basic ${Buffer.from("a@b:p:w").toString("base64")}`],
    ["[2001:db8::1]:443", undefined],
  ]);
});

test("outgoing proxy: refuses, demands a password, speaks no HTTP, is down → a sentence without the password", async (t) => {
  const silent = createTcpServer((socket) => socket.on("error", () => undefined).end("SSH-2.0\r\n\r\n"));
  await once(silent.listen(0, "127.0.0.1"), "listening");
  t.after(() => silent.close());
  const { port: down } = await closedPort();
  for (const [port, said] of [
    [(await startProxy(t, 403)).port, "refuses the connection (403)."],
    [(await startProxy(t, 407)).port, "demands another user and password (407)."],
    [(await startProxy(t, 401)).port, "demands another user and password (401)."],
    [(silent.address() as AddressInfo).port, "cannot be reached (HPE_INVALID_CONSTANT)."],
    [down, "cannot be reached (ECONNREFUSED)."],
  ] as const) {
    const message = `The outgoing proxy 127.0.0.1:${port} ${said}`;
    await assert.rejects(connectThrough(new URL(`http://user:hunter2@127.0.0.1:${port}`), TARGET), {
      message,
    });
  }
});

test("outgoing proxy: a sandbox's connection and a guarded request go through it, to the address that was checked", async (t) => {
  const origin = createServer((_, answer) => answer.end("here"));
  await once(origin.listen(0, "127.0.0.1"), "listening");
  t.after(() => origin.close().closeAllConnections());
  const { port } = origin.address() as AddressInfo;
  const proxy = await startProxy(t, 200);
  const name = parseHostName("rebound.example");
  assert.ok(name !== null);
  let resolved = 0;
  const resolve = async () => {
    resolved += 1;
    return ["127.0.0.1"];
  };
  const proxies = new OutgoingProxies({ http: `http://127.0.0.1:${proxy.port}` });
  const fetch = createGuardedFetch({ allowPrivate: ["127.0.0.1"], resolve, proxies });
  assert.equal(await (await fetch(`http://rebound.example:${port}/`)).text(), "here");
  const context = {
    ...{
      resolve,
      guard: () => true,
      refuses: () => false,
      proxies,
      mitm: null,
      deniedMessage: () => "",
      log: () => undefined,
    },
    headLimits: { bytes: 1024, milliseconds: 1000 },
  };
  const policy = {
    allows: () => true,
    deny: () => undefined,
    services: new Map(),
    credentialsAt: async () => [],
    admitted: () => undefined,
  };
  const dialled = await dial(name, port, policy, context);
  assert.equal(dialled.kind, "connected");
  if (dialled.kind === "connected") dialled.socket.destroy();
  assert.deepEqual(
    proxy.asked.map(([target]) => target),
    [`127.0.0.1:${port}`, `127.0.0.1:${port}`],
  );
  assert.equal(resolved, 2);
});

test("outgoing proxy: one that speaks TLS, with a certificate that the machine trusts or not", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "berth-tls-proxy-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const subject = ["-subj", "/CN=proxy", "-addext", "subjectAltName=DNS:localhost"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", keyFile];
  execFileSync("openssl", ["req", "-x509", ...key, "-out", certFile, "-days", "2", ...subject], {
    stdio: "ignore",
  });
  const cert = readFileSync(certFile, "utf8");
  const proxy = await startProxy(t, 200, createTlsServer({ key: readFileSync(keyFile), cert }));
  const url = new URL(`https://user:hunter2@localhost:${proxy.port}`);
  await assert.rejects(connectThrough(url, TARGET), {
    message: `The outgoing proxy localhost:${proxy.port} cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT).`,
  });
  const before = getCACertificates("default");
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, cert]);
  (await connectThrough(url, TARGET)).destroy();
  assert.deepEqual(proxy.asked, [
    ["192.0.2.1:443", `Basic ${Buffer.from("user:hunter2").toString("base64")}`],
  ]);
});

test("outgoing proxies: chosen by port; what is named is reached directly", () => {
  const proxies = new OutgoingProxies({
    https: "http://secure:1",
    http: "http://plain:2",
    direct: ["internal.example", ".dotted.example", "10.0.0.7", "10.1.0.0/16", "ported.example:8443"],
  });
  const chosen = (name: string, port = 443, address = "192.0.2.1") =>
    proxies.of({ name, address, port })?.hostname;
  assert.deepEqual(
    [chosen("a.example"), chosen("a.example", 8443), chosen("a.example", 80)],
    ["secure", "secure", "plain"],
  );
  for (const name of [
    "internal.example",
    "git.internal.example",
    "git.dotted.example",
    "localhost",
    "127.0.0.1",
  ])
    assert.equal(chosen(name), undefined, name);
  for (const address of ["10.0.0.7", "10.1.2.3"])
    assert.equal(chosen("named.example", 443, address), undefined);
  assert.deepEqual(
    [chosen("ported.example", 8443), chosen("ported.example"), chosen("notinternal.example")],
    [undefined, "secure", "secure"],
  );
  const chosenBy = (url: string) => proxies.ofUrl(new URL(url))?.hostname;
  assert.deepEqual(
    ["https://a.example", "http://a.example:8080", "http://internal.example", "https://127.0.0.1:1"].map(
      chosenBy,
    ),
    ["secure", "plain", undefined, undefined],
  );
  const all = new OutgoingProxies({ https: "http://secure:1", direct: ["a", "*"] });
  assert.equal(all.of({ name: "b.example", ...TARGET }), null);
  assert.equal(new OutgoingProxies().of({ name: "b.example", ...TARGET }), null);
});

/** Starts a proxy that responds with this status, and after 200 connects where it can. */
async function startProxy(t: TestContext, status: number, server: Server = createServer()) {
  const asked: Array<[string | undefined, string | undefined]> = [];
  server.on("connect", (request, client) => {
    asked.push([request.url, request.headers["proxy-authorization"]]);
    client.on("error", () => undefined).write(`HTTP/1.1 ${status} X\r\n\r\n`);
    if (status !== 200 || !request.url?.startsWith("127.")) return void client.end();
    const upstream = connect(Number(request.url.split(":")[1]), "127.0.0.1").on("error", () =>
      client.destroy(),
    );
    client.on("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close().closeAllConnections());
  return { port: (server.address() as AddressInfo).port, asked };
}

async function closedPort() {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return { port };
}
