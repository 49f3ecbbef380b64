import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, steps } from "../acceptance/harness/fixtures.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { makeCertificates } from "../git-host/certificates.ts";
import { freePort, startCaddy, startNginx, stopProxy } from "./proxy.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/guides/tls-and-proxies.md"), "utf8");
/** An upload that is larger than each proxy accepts by default, and than it buffers in memory. */
const UPLOAD = Buffer.alloc(24 * 1024 * 1024, "x");

let directory: string;
let berth: Berth;
let api: Api;
let ca: Buffer;
const at = (name: string) => join(directory, name);
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "berth-proxies-"));
  const { caFile } = await makeCertificates(directory, ["127.0.0.1"]);
  ca = readFileSync(caFile);
  berth = await Berth.start({ settings: { BERTH_TRUSTED_PROXIES: "127.0.0.1" } });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the guide's example, with the test's addresses and files. */
function example(language: string, port: number): string {
  const [, text] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(GUIDE) ?? [];
  assert.ok(text);
  return text
    .replaceAll("127.0.0.1:4180", new URL(berth.url).host)
    .replaceAll("/etc/ssl/berth/cert.pem", at("server.pem"))
    .replaceAll("/etc/ssl/berth/key.pem", at("server.key"))
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace(/^berth\.example\.com \{/m, `https://127.0.0.1:${port} {`);
}

/** Starts nginx. It ends silent connections sooner than in the guide, but later than Berth writes. */
function nginx(port: number): ChildProcess {
  return startNginx(
    directory,
    example("nginx", port).replace("proxy_read_timeout 60s", "proxy_read_timeout 15s"),
  );
}

function caddy(port: number): ChildProcess {
  return startCaddy(directory, example("caddyfile", port));
}

covers(
  ["behind-proxy"],
  "nginx and Caddy as in the guide: streams are passed on and stay open, uploads have no limit, the client is known",
  async (t) => {
    const addresses = await Promise.all([behind(t, nginx, "127.0.0.7"), behind(t, caddy, "127.0.0.8")]);
    for (const address of addresses)
      await waitUntil(
        () => new RegExp(`"operation":"files.upload".*"client":"${address}"`).test(berth.log),
        () => `no request of ${address} in the log:\n${berth.log.slice(-2_000)}`,
      );
  },
);

/** Runs a session and an upload through a proxy, from a client with this address. */
async function behind(
  t: TestContext,
  start: (port: number) => ChildProcess,
  address: string,
): Promise<string> {
  const client = { address, port: await freePort() };
  const proxy = start(client.port);
  t.after(() => stopProxy(proxy));
  await responding(proxy, client);
  const session = await makeSession(api);
  const stream = await call(client, `/sessions/${session.id}/events/stream?from=start`);
  assert.equal(stream.statusCode, 200);
  const uploaded = await call(client, "/files", upload());
  assert.equal(uploaded.statusCode, 200, await text(uploaded));

  // Wait longer without an event than the proxy keeps a silent connection.
  const reader = new Reader(stream);
  await reader.until((received) => (received.match(/^:$/gm)?.length ?? 0) >= 2);
  await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(bash("echo passed on"))] });
  await reader.until((received) => received.includes("session.status_idle"));
  stream.destroy();
  return address;
}

interface Client {
  /** The client's address on this machine. */
  address: string;
  /** The proxy's port. */
  port: number;
}

/** Sends a request from the client's own address, on a new connection. */
async function call(
  { address, port }: Client,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: Buffer } = {},
): Promise<IncomingMessage> {
  const sent = request(`https://127.0.0.1:${port}/api/v1/cloud${path}`, {
    ...{ agent: false, ca, localAddress: address, method: body === undefined ? "GET" : "POST" },
    headers: { authorization: `Bearer ${api.token}`, ...headers },
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  return response;
}

function upload(): { headers: Record<string, string>; body: Buffer } {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="large.txt"\r\n\r\n';
  const body = Buffer.concat([Buffer.from(head), UPLOAD, Buffer.from("\r\n--b--\r\n")]);
  const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": `${body.length}` };
  return { headers, body };
}

/** A reader of what a response has sent so far. */
class Reader {
  #received = "";
  readonly #response: IncomingMessage;
  #changed = (): void => undefined;

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding("utf8").on("data", (part: string) => {
      this.#received += part;
      this.#changed();
    });
    response.once("close", () => this.#changed());
  }

  async until(isThere: (received: string) => boolean): Promise<void> {
    while (!isThere(this.#received)) {
      if (this.#response.destroyed) assert.fail(`the stream ended after:\n${this.#received}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }
}

async function text(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return Buffer.concat(parts).toString();
}

async function responding(proxy: ChildProcess, client: Client): Promise<void> {
  for (;;) {
    const response = await call(client, "/sessions").catch(() => null);
    if (response?.statusCode === 200) return;
    if (proxy.exitCode !== null) throw new Error(`The proxy ended: ${readFileSync(at("nginx.log"), "utf8")}`);
    await pause(50);
  }
}
