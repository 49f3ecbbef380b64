import assert from "node:assert/strict";
import { test } from "node:test";
import { createGuardedFetch, DestinationDenied, type EgressDenied } from "@berth/egress";
import type { RunSession } from "../inputs/session-inputs-store.ts";
import { sessionFetch } from "./session-fetch.ts";

type Networking = RunSession["networking"];

const SERVER = "https://mcp.example:8443/mcp";
const limited = (allowed_hosts: string[], allow_mcp_servers = false): Networking => ({
  type: "limited",
  allowed_hosts,
  allow_mcp_servers,
  allow_package_managers: false,
});

/** Returns "asked" when the request was sent, else the reported denial. */
async function tried(networking: Networking, url: string): Promise<"asked" | EgressDenied> {
  const reported: EgressDenied[] = [];
  const fetch = sessionFetch(
    async () => new Response("asked"),
    { networking },
    SERVER,
    (one) => reported.push(one),
  );
  try {
    await fetch(url);
    assert.deepEqual(reported, []);
    return "asked";
  } catch (error) {
    assert.ok(error instanceof DestinationDenied);
    assert.equal(reported.length, 1);
    return reported[0] ?? assert.fail();
  }
}

test("MCP servers allowed → only requests to the server's own origin are sent", async () => {
  for (const networking of [{ type: "unrestricted" }, limited([], true)] satisfies Networking[]) {
    assert.equal(await tried(networking, "https://MCP.example:8443/other"), "asked");
    for (const url of [
      "https://mcp.example/mcp",
      "http://mcp.example:8443/",
      "https://mcp.example:8444/",
      "https://mcp.example:844/",
      "https://mcp.example:8443@evil.example/",
      "https://mcp.example.evil.example:8443/",
      "https://mcp.examples:8443/",
      "https://evil.example/",
    ]) {
      const { hostname, port, protocol } = new URL(url);
      assert.deepEqual(await tried(networking, url), {
        host: hostname,
        port: Number(port || (protocol === "https:" ? 443 : 80)),
        reason: "not_allowed",
      });
    }
  }
});

test("host in allowed_hosts → requests are sent to the listed port only", async () => {
  assert.equal(await tried(limited(["mcp.example:8443"]), SERVER), "asked");
  assert.equal(await tried(limited(["*.example"]), "https://mcp.example./"), "asked");
  assert.deepEqual(await tried(limited(["mcp.example"]), SERVER), {
    host: "mcp.example",
    port: 8443,
    reason: "not_allowed",
  });
  assert.deepEqual(await tried(limited([]), SERVER), {
    host: "mcp.example",
    port: 8443,
    reason: "not_allowed",
  });
});

test("address guard denies the request → reported with its reason", async () => {
  const reported: EgressDenied[] = [];
  const guarded = createGuardedFetch({ allowPrivate: [], resolve: async () => ["10.0.0.1"] });
  const fetch = sessionFetch(guarded, { networking: limited([], true) }, SERVER, (one) => reported.push(one));
  await assert.rejects(fetch(SERVER), DestinationDenied);
  assert.deepEqual(reported, [{ host: "mcp.example", port: 8443, reason: "private_address" }]);
});
