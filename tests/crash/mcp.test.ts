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
import { cutEverywhere } from "./cut-everywhere.ts";
import { canInject } from "./inject-kill.ts";

/** The first turn of a session, in which the tools of its MCP server are discovered and one is called, cut at its writes. */
const token = "canary-token-of-the-vault";
let everything: EverythingServer;
let proxy: BearerProxy;
let berth: Berth;
let api: Api;
before(async () => {
  everything = await startEverything();
  proxy = await startBearerProxy(everything.port, token);
  berth = await Berth.start({ settings: { BERTH_EGRESS_ALLOW_PRIVATE: new URL(proxy.url).host } });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  proxy.stop();
  await everything.stop();
});

test(
  "a turn cut while it discovers or calls an MCP server calls nothing twice",
  {
    timeout: 600_000,
    skip: !canInject,
  },
  (context) =>
    cutEverywhere(context, {
      service: () => berth,
      most: 10,
      async act(name, attach) {
        const session = await makeMcpSession();
        await attach();
        const before = callsSeen();
        const call = { tool: "mcp__all__echo", input: { message: name } };
        const sent = await api.ok("POST", `/sessions/${session}/events`, { events: [steps(call)] });
        const events = await waitForTurn(api, session, sent.data[0].id);
        return { events, calls: callsSeen() - before };
      },
      check,
    }),
);

function callsSeen(): number {
  return proxy.received.filter((asked) => asked === "POST tools/call").length;
}

async function check({ events, calls }: { events: AnyJson[]; calls: number }, name: string): Promise<void> {
  const of = (type: string) => events.filter((event) => event.type === type);
  assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" }, name);
  assert.equal(of("session.error").length, 0, name);
  const [use, ...more] = of("agent.mcp_tool_use");
  assert.deepEqual(more, [], name);
  const [result, ...others] = of("agent.mcp_tool_result");
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
  const auth = { type: "static_bearer", mcp_server_url: proxy.url, token };
  await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
  const body = { agent: agent.id, environment_id: environment.id, vault_ids: [vault.id] };
  return (await api.ok("POST", "/sessions", body)).id;
}
