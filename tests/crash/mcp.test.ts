import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment, steps, waitForTurn } from "../acceptance/harness/fixtures.ts";
import {
  type BearerProxy,
  type EverythingServer,
  startBearerProxy,
  startEverything,
} from "../mcp-host/mcp-host.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";

/**
 * Tests kills of the runner at the writes of a session's first turn, which lists the tools of an MCP server
 * and calls one.
 */
const TOKEN = "canary-vault-token";
let everything: EverythingServer;
let proxy: BearerProxy;
let berth: Berth;
let api: Api;
before(async () => {
  everything = await startEverything();
  proxy = await startBearerProxy(everything.port, TOKEN);
  berth = await Berth.start({ settings: { BERTH_EGRESS_ALLOW_PRIVATE: new URL(proxy.url).host } });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  proxy.stop();
  await everything.stop();
});

test(
  "runner killed while it lists or calls MCP tools: no tool is called twice",
  {
    timeout: 600_000,
    skip: !CAN_INJECT,
  },
  (context) =>
    killAtEveryWrite(context, {
      service: () => berth,
      sampledPoints: 4,
      async run(name, attach) {
        const session = await makeMcpSession();
        await attach();
        const before = countToolCalls();
        const call = { tool: "mcp__all__echo", input: { message: name } };
        const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [steps(call)] });
        const events = await waitForTurn(api, session, sent.data[0].id);
        return { events, calls: countToolCalls() - before };
      },
      check,
    }),
);

function countToolCalls(): number {
  return proxy.received.filter((request) => request === "POST tools/call").length;
}

async function check({ events, calls }: { events: AnyJson[]; calls: number }, name: string): Promise<void> {
  const ofType = (type: string) => events.filter((event) => event.type === type);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, name);
  assert.equal(ofType("session.error").length, 0, name);
  const [use, ...more] = ofType("agent.mcp_tool_use");
  assert.deepEqual(more, [], name);
  const [result, ...others] = ofType("agent.mcp_tool_result");
  assert.deepEqual([result.mcp_tool_use_id, others], [use.id, []], `${name}: one result`);
  const text: string = result.content[0].text;
  assert.match(text, new RegExp(`^Echo: ${name}$|interrupted`), name);
  assert.ok(calls <= 1, `${name}: called ${calls} times`);
  if (!/interrupted/.test(text)) assert.equal(calls, 1, name);
}

async function makeMcpSession(): Promise<string> {
  const allowed = { default_config: { permission_policy: { type: "always_allow" } } };
  const agent = await makeAgent(api, {
    mcp_servers: [{ type: "url", name: "all", url: proxy.url }],
    tools: [{ type: "mcp_toolset", mcp_server_name: "all", ...allowed }],
  });
  const environment = await makeEnvironment(api, {
    config: { type: "cloud", networking: { type: "limited", allow_mcp_servers: true } },
  });
  const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
  const auth = { type: "static_bearer", mcp_server_url: proxy.url, token: TOKEN };
  await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
  const body = { agent: agent.id, environment_id: environment.id, vault_ids: [vault.id] };
  return (await api.ok("POST", "/sessions", body)).id;
}
