import assert from "node:assert/strict";
import { assertError } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn } from "../harness/fixtures.ts";

const { berth, api } = await startBerth();

covers(["health"], "health: checks, the service, its sessions and disks", async () => {
  const session = await makeSession(api);
  await runTurn(api, session.id, bash("true"), { say: "Done." });
  const admin = await berth.client({ user: "admin@example.com", role: "admin" });
  const health = await admin.ok("GET", "/health");
  assert.deepEqual([health.type, health.ready, health.fault], ["health", true, null]);
  const states = new Map(
    health.checks.map((check: { name: string; state: string }) => [check.name, check.state]),
  );
  assert.deepEqual(
    ["settings", "data_directory", "hosts"].map((name) => states.get(name)),
    ["yes", "yes", "yes"],
  );
  assert.ok(states.has("network") && states.has("ceilings") && states.has("models"));
  const [host, ...others] = health.hosts;
  assert.deepEqual([others, host.draining, host.sessions, host.other_settings], [[], false, 1, []]);
  assert.equal(host.version, health.version);
  assert.ok(host.capacity > 0 && Date.parse(host.seen_at) > 0);
  assert.deepEqual([health.sessions.idle, health.sessions.running, health.sessions.due], [1, 0, 0]);
  assert.ok(health.disk.free_bytes > 0 && health.database_bytes > 0);
});

covers(["health"], "health: only for admins, with metrics:read", async () => {
  assertError(await api.get("/health"), 403, "permission_error");
  const narrow = await berth.client({ user: "narrow@example.com", role: "admin", scopes: "sessions:read" });
  assertError(await narrow.get("/health"), 403, "permission_error");
});
