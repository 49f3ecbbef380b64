// Subject: the route of health.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { testApp } from "../../../test-support/http.ts";

const INSTALLATION = {
  checks: async () => [{ name: "network", state: "yes" as const, detail: "It listens." }],
  hosts: async () => [],
  fault: async () => null,
};

test("health: an admin with metrics:read sees the installation", async (t) => {
  const { caller } = await testApp(t, {
    dataDir: tmpdir(),
    installation: INSTALLATION,
    fault: () => "sandbox",
  });
  const admin = await caller({ email: "ada@example.com", role: "admin", scopes: ["metrics:read"] });
  const { status, body } = await admin.get("/health");
  const { disk, database_bytes, version, ...rest } = body;
  assert.equal(status, 200);
  assert.ok(disk.size_bytes >= disk.free_bytes && disk.free_bytes > 0 && database_bytes > 1_000_000);
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(rest, {
    ...{ type: "health", ready: false, fault: "sandbox", hosts: [] },
    checks: [{ name: "network", state: "yes", detail: "It listens." }],
    sessions: { idle: 0, running: 0, rescheduling: 0, terminated: 0, due: 0, due_seconds: 0, set_aside: 0 },
    session_disks: { count: 0, bytes: 0 },
    repository_snapshots: { repositories: 0, count: 0, bytes: 0 },
  });
});

test("health: a member and a service account are refused, whatever their scopes", async (t) => {
  const { caller } = await testApp(t);
  for (const who of [{ email: "bob@example.com" }, { email: "robot", kind: "sat" as const }]) {
    const { status, body } = await (await caller(who)).get("/health");
    assert.deepEqual(
      [status, body.error.type, body.error.message],
      [403, "permission_error", "Only an admin of the organization can see how the installation is."],
    );
  }
});

test("health: a disk that cannot be measured is null", async (t) => {
  const { caller } = await testApp(t);
  const admin = await caller({ email: "ada@example.com", role: "admin" });
  assert.equal((await admin.get("/health")).body.disk, null);
});
