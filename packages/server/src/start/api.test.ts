import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTokenFor } from "@berth/api/features";
import { createGuardedFetch } from "@berth/egress";
import { openDiskBlobs } from "@berth/store/blobs";
import { createLog, createRedactor } from "@berth/store/log";
import { openSessionHub } from "@berth/store/notify";
import { silentLog, testDatabase } from "@berth/store/test-support/database";
import { type Api, type ApiOptions, startApi } from "./api.ts";

async function started(
  t: TestContext,
  port = 0,
  options: Partial<ApiOptions> = {},
): Promise<{ api: Api; headers: Record<string, string> }> {
  const db = await testDatabase(t);
  const hub = await openSessionHub({ db, log: silentLog });
  const directory = mkdtempSync(join(tmpdir(), "berth-api-"));
  let api: Api | undefined;
  t.after(async () => {
    await api?.close();
    await hub.close();
    rmSync(directory, { recursive: true });
  });
  api = await startApi({
    host: "127.0.0.1",
    port,
    db,
    hub,
    log: silentLog,
    models: { get: () => ({ contextWindow: 1_000 }), list: () => [], totalCost: () => 0, defaultModel: null },
    blobs: await openDiskBlobs(directory),
    secretKey: randomBytes(32),
    repositoryHosts: [],
    gitHttpHosts: [],
    runsImages: false,
    runtimeClasses: null,
    maxKeepAliveSeconds: 3_600,
    usualPids: 4_096,
    runtimes: null,
    previewUrl: null,
    previewMaxSeconds: 28_800,
    ceilings: { cpus: 4, memory_mb: 8_192, pids: 2_048, disk_mb: 65_536 },
    egressAllowPrivate: [],
    gitHostFetch: createGuardedFetch({ allowPrivate: [] }),
    jsonLimit: 10_000,
    uploadLimit: 10_000,
    ...options,
  });
  const { secret: token } = await createTokenFor(db.write, { email: "owner@example.com" });
  return { api, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } };
}

test("close: open streams end, running requests are finished", async (t) => {
  const { api, headers } = await started(t);
  const made = async (path: string, body: object): Promise<string> => {
    const reply = await fetch(`${api.url}/api/v1/cloud${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return ((await reply.json()) as { id: string }).id;
  };
  const agent = await made("/agents", { name: "a", model: "x/y" });
  const environment = await made("/environments", { name: "e" });
  const session = await made("/sessions", { agent, environment_id: environment });
  const opening = get(`${api.url}/api/v1/cloud/sessions/${session}/events/stream`, { headers });
  const [stream] = (await once(opening, "response")) as [IncomingMessage];
  assert.equal(stream.statusCode, 200);
  assert.equal(stream.headers["x-request-id"], stream.headers["request-id"]);
  stream.resume();
  const ended = once(stream, "end");
  await api.close();
  await ended;
  await assert.rejects(fetch(`${api.url}/livez`));
});

test("close: a connection stays until its client, which may have sent already, has got a response that sends it elsewhere", async (t) => {
  const { api } = await started(t, 0, { quietMs: 60_000 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ask = async () => {
    const [response] = (await once(get(`${api.url}/livez`, { agent }), "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    return [response.statusCode, response.headers.connection];
  };
  assert.deepEqual(await ask(), [200, "keep-alive"]);
  const closing = api.close();
  await assert.rejects(fetch(`${api.url}/livez`), "it accepts no further connection");
  assert.deepEqual(await ask(), [200, "close"]);
  await closing;
});

test("close: a connection on which nothing was asked for a while ends", async (t) => {
  const { api } = await started(t, 0, { quietMs: 0 });
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.resume();
  await Promise.all([once(socket, "close"), api.close()]);
});

test("startApi: the port is in use → an error of one sentence", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  await assert.rejects(started(t, port), {
    message: `Another program already listens on port ${port} of 127.0.0.1. Stop it, or choose another port.`,
  });
});

test("metrics with an address of their own: there alone, and nothing else is there", async (t) => {
  const lines: Array<{ msg: string; url: string }> = [];
  const log = createLog("info", createRedactor(), (line) => lines.push(JSON.parse(line)));
  const { api } = await started(t, 0, { log, metricsAddress: { host: "127.0.0.1", port: 0 } });
  const { url = "" } = lines.find(({ msg }) => msg === "metrics are served at a separate address") ?? {};
  await (await fetch(`${api.url}/livez`)).text();
  const metrics = await fetch(url);
  assert.equal(metrics.status, 200);
  assert.match(
    await metrics.text(),
    /^berth_http_request_seconds_count\{operation="none",status="200"\} 1$/m,
  );
  const status = async (at: string, headers = {}) => (await fetch(at, { headers })).status;
  assert.equal(await status(`${api.url}/metrics`), 404);
  assert.equal(await status(new URL("/api/v1/cloud/agents", url).href), 404);
  assert.equal(await status(url, { "x-forwarded-for": "192.0.2.7" }), 401, "others need a token");
  await api.close();
  await assert.rejects(fetch(url));
});

test("metrics with an address of their own that cannot be had → an error, and nothing listens", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  await assert.rejects(started(t, 0, { metricsAddress: { host: "127.0.0.1", port } }), {
    message: `Another program already listens on port ${port} of 127.0.0.1. Stop it, or choose another port.`,
  });
});
