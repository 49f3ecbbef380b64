// Subject: service-routes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { testApp } from "../../../test-support/http.ts";

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
    for (const [path, methods] of Object.entries(paths as Record<string, object>)) {
      for (const method of Object.keys(methods)) {
        const url = path.replaceAll(/\{\w+\}/g, "x");
        const response = await app.fastify.inject({ method: method.toUpperCase() as "GET", url });
        assert.equal(response.statusCode, 401, `${method} ${path}`);
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

  test("metrics: requests and sessions are measured, without ids", async (t) => {
    const { app, caller } = await testApp(t);
    const owner = await caller();
    await owner.get("/agents/agent_01h00000000000000000000000");
    await owner.get("/nowhere");
    const { payload } = await app.fastify.inject({ method: "GET", url: "/metrics" });
    assert.match(payload, /berth_http_request_seconds_count\{operation="agents.get",status="404"\} 1/);
    assert.match(payload, /berth_http_request_seconds_count\{operation="none",status="404"\} 1/);
    assert.match(payload, /berth_sessions\{status="idle"\} 0/);
    assert.ok(!payload.includes("agent_01"));
  });
});
