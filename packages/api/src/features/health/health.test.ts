// Subject: the route of health.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { parseId } from "@berth/contract";
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
      [403, "permission_error", "Only an admin of the organization can see the health of the installation."],
    );
  }
});

test("health: a disk that cannot be measured is null", async (t) => {
  const { caller } = await testApp(t);
  const admin = await caller({ email: "ada@example.com", role: "admin" });
  assert.equal((await admin.get("/health")).body.disk, null);
});

test("health: what disks and snapshots take, each by itself and together", async (t) => {
  const { caller, db } = await testApp(t);
  const admin = await caller({ email: "ada@example.com", role: "admin" });
  const agent = await admin.made("/agents", { name: "a", model: "rehearsal/steps" });
  const environment = await admin.made("/environments", { name: "e" });
  for (const bytes of [100, 20]) {
    const session = await admin.made("/sessions", { agent: agent.id, environment_id: environment.id });
    await db.write.query({
      text: `insert into disk_usage (session_id, organization_id, owner_id, bytes)
        select id, organization_id, owner_id, $2 from sessions where id = $1`,
      values: [parseId("session", session.id), bytes],
    });
  }
  await db.write.query({
    text: `with mirror as (
        insert into repository_mirrors (id, organization_id, host, url, uid, bytes)
        select gen_random_uuid(), id, 'one', 'https://git.example/a', 1, 3000 from organizations returning id)
      insert into repository_snapshots (id, mirror_id, checkout, refs_digest, commit_sha, bytes)
      select gen_random_uuid(), id, 'main', digest, 'c', 200000 from mirror, unnest(array['x', 'y']) as digest`,
  });
  const { session_disks, repository_snapshots } = (await admin.get("/health")).body;
  assert.deepEqual(session_disks, { count: 2, bytes: 120 });
  assert.deepEqual(repository_snapshots, { repositories: 1, count: 2, bytes: 403_000 });
});
