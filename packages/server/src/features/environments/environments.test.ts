import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testApp } from "../../http/testing.ts";

describe("environments", () => {
  test("reach nothing by default, and have limits", async (t) => {
    const owner = await (await testApp(t)).caller();
    const made = await owner.made("/environments", { name: "plain" });
    const limited = {
      type: "limited",
      allowed_hosts: [],
      allow_package_managers: false,
      allow_mcp_servers: false,
    };
    assert.deepEqual(made.config, { type: "cloud", networking: limited });
    assert.deepEqual(made.resources, { cpus: 2, memory_mb: 4_096, pids: 512 });
    assert.equal(made.created_at, made.updated_at);
    assert.deepEqual((await owner.get(`/environments/${made.id}`)).body, made);
    const open = await owner.made("/environments", {
      name: "open",
      config: { type: "cloud", networking: { type: "unrestricted" } },
      resources: { cpus: 0.5 },
    });
    assert.deepEqual(open.config.networking, { type: "unrestricted" });
    assert.deepEqual(open.resources, { cpus: 0.5, memory_mb: 4_096, pids: 512 });
    const hosts = await owner.made("/environments", {
      name: "hosts",
      config: {
        type: "cloud",
        networking: { type: "limited", allowed_hosts: ["API.Example.com", "*.x.example:8443"] },
      },
    });
    assert.deepEqual(hosts.config.networking.allowed_hosts, ["api.example.com", "*.x.example:8443"]);
  });

  test("a name is taken once by an owner, also by those who ask at once", async (t) => {
    const { caller } = await testApp(t);
    const owner = await caller();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => owner.post("/environments", { name: "one" })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const { body, headers } of replies.filter(({ status }) => status !== 200)) {
      assert.deepEqual([body.error.type, body.error.param], ["conflict_error", "name"]);
      assert.equal(headers["x-should-retry"], "false");
    }
    const other = await caller({ email: "other@example.com" });
    assert.equal((await other.post("/environments", { name: "one" })).status, 200);
  });
});
