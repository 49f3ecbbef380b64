// Subject: probe-routes.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { silentLog } from "@berth/store/test-support/database";
import { testApp } from "../../../test-support/http.ts";
import { createHealthApp } from "../../app/app.ts";

describe("service routes", () => {
  test("openapi.json: no token → the committed document", async (t) => {
    const { app } = await testApp(t);
    const response = await app.fastify.inject({ method: "GET", url: "/openapi.json" });
    const committed = readFileSync(
      fileURLToPath(import.meta.resolve("@berth/contract")).replace("src/index.ts", "openapi.json"),
      "utf8",
    );
    assert.deepEqual(response.json(), JSON.parse(committed));
  });

  test("routes: every operation of the document is mounted", async (t) => {
    const { app } = await testApp(t);
    const { paths } = (await app.fastify.inject({ method: "GET", url: "/openapi.json" })).json();
    type Operations = Record<string, { security?: [] }>;
    for (const [path, methods] of Object.entries(paths as Record<string, Operations>)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const url = path.replaceAll(/\{\w+\}/g, "x");
        const response = await app.fastify.inject({ method: method.toUpperCase() as "GET", url });
        // An operation that needs no token fails for lack of a body.
        assert.equal(response.statusCode, security?.length === 0 ? 400 : 401, `${method} ${path}`);
      }
    }
  });

  test("health: the database is away → not ready, but alive", async (t) => {
    const { app, db } = await testApp(t);
    const status = async (url: string) => (await app.fastify.inject({ method: "GET", url })).statusCode;
    assert.deepEqual([await status("/livez"), await status("/readyz")], [200, 200]);
    await db.close();
    assert.deepEqual([await status("/livez"), await status("/readyz")], [200, 503]);
  });

  test("health: the database does not hear of the runner → not ready; when it does not respond at all, that is why", async (t) => {
    const { app, db } = await testApp(t, { fault: () => "heartbeat" });
    const reason = async () => (await app.fastify.inject({ method: "GET", url: "/readyz" })).json().reason;
    assert.equal(await reason(), "heartbeat");
    await db.close();
    assert.equal(await reason(), "database");
  });

  test("health of a service without an API: its health and metrics, and no other route", async (t) => {
    const { db } = await testApp(t);
    const app = createHealthApp({
      db,
      log: silentLog,
      secretKey: randomBytes(32),
      jsonLimit: 1,
      uploadLimit: 1,
      processName: "supervisor",
      runnerMetrics: null,
    });
    t.after(() => app.fastify.close());
    const ask = async (url: string) => await app.fastify.inject({ method: "GET", url });
    assert.deepEqual([(await ask("/livez")).statusCode, (await ask("/readyz")).statusCode], [200, 200]);
    const { payload } = await ask("/metrics");
    assert.match(payload, /process_cpu_seconds_total\{process="supervisor"\}/);
    assert.doesNotMatch(payload, /berth_runner_up/);
    for (const url of ["/", "/openapi.json", "/api/v1/cloud/sessions"])
      assert.equal((await ask(url)).statusCode, 404);
  });

  test("metrics: the database is away → said so, and the rest is there", async (t) => {
    const { app, db } = await testApp(t, { dataDir: tmpdir() });
    const render = async () => (await app.fastify.inject({ method: "GET", url: "/metrics" })).payload;
    const before = await render();
    assert.match(before, /^berth_database_up 1$/m);
    assert.match(before, /^berth_database_bytes \d{6,}$/m);
    assert.match(before, /^berth_database_connections\{process="api",state="busy"\} \d+$/m);
    assert.match(before, /^berth_data_directory_bytes\{state="free"\} \d+$/m);
    await db.close();
    const after = await render();
    assert.match(after, /^berth_database_up 0$/m);
    assert.match(after, /^process_cpu_seconds_total/m);
    assert.doesNotMatch(after, /^berth_(sessions|due_seconds|database_bytes)/m, "no former values");
  });

  test("metrics: waits for a connection are counted", async (t) => {
    const { app, db } = await testApp(t, {}, { max: 1 });
    const read = async (name: string) => {
      const { payload } = await app.fastify.inject({ method: "GET", url: "/metrics" });
      return Number(new RegExp(`^${name}\\{process="api"\\} (\\S+)$`, "m").exec(payload)?.[1]);
    };
    const taken = await read("berth_database_connections_taken_total");
    const release = Promise.withResolvers<void>();
    const holding = db.transaction(() => release.promise);
    const waiting = db.write.query({ text: "select 1" });
    assert.ok(db.connections().waiting > 0);
    release.resolve();
    await Promise.all([holding, waiting]);
    assert.ok((await read("berth_database_connections_taken_total")) >= taken + 2);
    assert.ok((await read("berth_database_wait_seconds_total")) > 0);
  });

  test("metrics: from another machine or through a proxy → a token with the scope, unless they are public", async (t) => {
    const { app, caller } = await testApp(t);
    const [narrow, wide] = [
      await caller({ scopes: ["agents:read"] }),
      await caller({ scopes: ["metrics:read"] }),
    ];
    const ask = async (remoteAddress: string, headers: Record<string, string> = {}) =>
      (await app.fastify.inject({ method: "GET", url: "/metrics", remoteAddress, headers })).statusCode;
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
      assert.equal(await ask(address), 200, address);
    for (const address of ["192.0.2.7", "::2", "::ffff:192.0.2.7", "fe80::1"]) {
      assert.equal(await ask(address), 401, address);
      assert.equal(
        await ask(address, { "x-forwarded-for": "127.0.0.1" }),
        401,
        "a header makes nobody local",
      );
    }
    for (const header of ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"])
      assert.equal(await ask("127.0.0.1", { [header]: "127.0.0.1" }), 401, header);
    const as = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
    assert.deepEqual([await ask("192.0.2.7", as(narrow)), await ask("192.0.2.7", as(wide))], [403, 200]);
    const open = await testApp(t, { metricsPublic: "yes" });
    const { statusCode } = await open.app.fastify.inject({ url: "/metrics", remoteAddress: "192.0.2.7" });
    assert.equal(statusCode, 200);
  });

  test("metrics: requests and sessions are measured, without ids", async (t) => {
    const { app, caller } = await testApp(t);
    const owner = await caller();
    await owner.get("/agents/agent_01h00000000000000000000000");
    await owner.get("/nowhere");
    const { payload } = await app.fastify.inject({ method: "GET", url: "/metrics" });
    assert.match(payload, /berth_http_request_seconds_count\{operation="agents.get",status="404"\} 1/);
    assert.match(payload, /berth_http_request_seconds_count\{operation="none",status="404"\} 1/);
    assert.match(payload, /berth_sessions\{status="idle"\} 0/);
    assert.match(payload, /berth_due_sessions 0/);
    assert.match(payload, /berth_runner_up 0/);
    assert.match(payload, /process_cpu_seconds_total\{process="api"\}/);
    assert.ok(!payload.includes("agent_01"));
  });
});
