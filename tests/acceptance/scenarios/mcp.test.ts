import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  type BearerProxy,
  type EverythingServer,
  startBearerProxy,
  startEverything,
} from "../../mcp-host/mcp-host.ts";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, runTurn, steps, waitForTurn } from "../harness/fixtures.ts";
import { readEventsUntil } from "../harness/stream.ts";

const TOKEN = "canary-token-of-the-vault";
let everything: EverythingServer;
let proxy: BearerProxy;
/** A second proxy, for the test that counts connections. */
let countedProxy: BearerProxy;
let berth: Berth;
let api: Api;
before(async () => {
  everything = await startEverything();
  proxy = await startBearerProxy(everything.port, TOKEN);
  countedProxy = await startBearerProxy(everything.port, TOKEN);
  const hosts = [proxy, countedProxy].map(({ url }) => new URL(url).host).join();
  berth = await Berth.start({
    settings: { BERTH_EGRESS_ALLOW_PRIVATE: hosts, BERTH_SANDBOX_IDLE_SECONDS: "1" },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  proxy.stop();
  countedProxy.stop();
  await everything.stop();
});

const ALWAYS_ALLOW = { default_config: { permission_policy: { type: "always_allow" } } };
const MCP_ALLOWED = { config: { type: "cloud", networking: { type: "limited", allow_mcp_servers: true } } };

function tools(toolset: Record<string, Json> = ALWAYS_ALLOW): Json[] {
  return [{ type: "mcp_toolset", mcp_server_name: "all", ...toolset }];
}

interface McpSessionOptions {
  toolset?: Record<string, Json>;
  environment?: Record<string, Json>;
  url?: string;
  token?: string | null;
}

/** Creates a session whose agent has the MCP server and whose vault has its token. */
async function makeMcpSession(options: McpSessionOptions = {}): Promise<{ id: string; credential: string }> {
  const { toolset, environment = MCP_ALLOWED, url = proxy.url, token: secret = TOKEN } = options;
  const agent = await makeAgent(api, {
    mcp_servers: [{ type: "url", name: "all", url }],
    tools: tools(toolset),
  });
  const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
  const path = `/vaults/${vault.id}/credentials`;
  let credential = "";
  if (secret !== null) {
    const auth = { type: "static_bearer", mcp_server_url: url, token: secret };
    credential = `${path}/${(await api.ok("POST", path, { auth })).id}`;
  }
  const session = await api.ok("POST", "/sessions", {
    agent: agent.id,
    environment_id: (await makeEnvironment(api, environment)).id,
    vault_ids: [vault.id],
  });
  return { id: session.id, credential };
}

const echo = (message: string) => ({ tool: "mcp__all__echo", input: { message } });
const ofType = (events: AnyJson[], type: string) => events.filter((event) => event.type === type);
const mcpResultTexts = (events: AnyJson[]) =>
  ofType(events, "agent.mcp_tool_result").map(({ content }) => content[0]?.text);
const errorTypes = (events: AnyJson[]) => ofType(events, "session.error").map(({ error }) => error.type);

covers(["mcp-agent"], "agent with mcp_servers: returned with all defaults", async () => {
  const server = { type: "url", name: "all", url: "https://mcp.example/mcp" };
  const agent = await makeAgent(api, {
    mcp_servers: [server],
    tools: tools({ configs: [{ name: "echo", permission_policy: { type: "always_allow" } }] }),
  });
  assert.deepEqual(agent.mcp_servers, [server]);
  assert.deepEqual(agent.tools, [
    {
      type: "mcp_toolset",
      mcp_server_name: "all",
      default_config: { enabled: true, permission_policy: { type: "always_ask" } },
      configs: [{ name: "echo", enabled: true, permission_policy: { type: "always_allow" } }],
    },
  ]);
  const changed = await api.ok("POST", `/agents/${agent.id}`, { version: 1, mcp_servers: [], tools: [] });
  assert.deepEqual([changed.mcp_servers, changed.tools, changed.version], [[], [], 2]);
  const half = await api.post(`/agents/${agent.id}`, { version: 2, mcp_servers: [server] });
  assertError(half, 400, "invalid_request_error", { param: "mcp_servers[0].name" });
});

covers(
  ["mcp-agent"],
  "agent with mcp_servers: inconsistent servers and toolsets are rejected with 400",
  async () => {
    const server = { type: "url", name: "all", url: "https://mcp.example/mcp" };
    const cases: [Json, Json, string][] = [
      [[], tools(), "tools[0].mcp_server_name"],
      [[server], [], "mcp_servers[0].name"],
      [[server, server], tools(), "mcp_servers[1].name"],
      [[server], [...tools(), ...tools()], "tools[1].mcp_server_name"],
      [[{ ...server, name: "" }], tools(), "mcp_servers[0].name"],
      [[{ ...server, url: "http://mcp.example/mcp" }], tools(), "mcp_servers[0].url"],
      [[{ ...server, url: "http://127.0.0.1:1/mcp" }], tools(), "mcp_servers[0].url"],
      [[{ ...server, url: "mcp.example" }], tools(), "mcp_servers[0].url"],
      [[{ ...server, url: "https://user:pw@mcp.example/" }], tools(), "mcp_servers[0].url"],
      [[{ ...server, authorization_token: "x" }], tools(), "mcp_servers[0].authorization_token"],
      [[{ ...server, type: "stdio" }], tools(), "mcp_servers[0].type"],
      [[server], tools({ configs: [{ name: "a" }, { name: "a" }] }), "tools[0].configs[1].name"],
      [
        [server],
        tools({ default_config: { permission_policy: { type: "x" } } }),
        "tools[0].default_config.permission_policy.type",
      ],
    ];
    for (const [servers, toolset, param] of cases) {
      const body = { name: "a", model: "rehearsal/steps", mcp_servers: servers, tools: toolset };
      assertError(await api.post("/agents", body), 400, "invalid_request_error", { param });
    }
  },
);

covers(
  ["mcp-call", "mcp-credential"],
  "MCP call: recorded with its server, and the token is in no event or log",
  async () => {
    const { id } = await makeMcpSession();
    const events = await runTurn(
      api,
      id,
      { tools: [echo("one"), { tool: "mcp__all__get-sum", input: { a: 2, b: 3 } }] },
      { tool: "mcp__all__get-tiny-image", input: {} },
      { tool: "mcp__all__get-sum", input: { a: "x" } },
    );
    const uses = ofType(events, "agent.mcp_tool_use");
    assert.deepEqual(
      uses.map(({ mcp_server_name, name, input, evaluated_permission }) => [
        mcp_server_name,
        name,
        input,
        evaluated_permission,
      ]),
      [
        ["all", "echo", { message: "one" }, "allow"],
        ["all", "get-sum", { a: 2, b: 3 }, "allow"],
        ["all", "get-tiny-image", {}, "allow"],
        ["all", "get-sum", { a: "x" }, "allow"],
      ],
    );
    const results = ofType(events, "agent.mcp_tool_result");
    const result = (index: number) =>
      results.find(({ mcp_tool_use_id }) => mcp_tool_use_id === uses[index]?.id);
    assert.deepEqual(result(0)?.content, [{ type: "text", text: "Echo: one" }]);
    assert.match(result(1)?.content[0].text, /5/);
    assert.equal(result(2)?.content[1].source.media_type, "image/png");
    assert.deepEqual(
      results.map(({ is_error }) => is_error),
      [false, false, false, true],
    );
    assert.equal(ofType(events, "session.status_idle")[0]?.stop_reason.type, "end_turn");
    assert.deepEqual(ofType(events, "session.container_started"), [], "no sandbox was started");
    assert.ok(!JSON.stringify(events).includes("canary"));
    assert.ok(!berth.log.includes("canary"));
  },
);

covers(["mcp-permission"], "MCP permissions: calls run, wait for confirmation or are denied", async () => {
  const { id } = await makeMcpSession({
    toolset: {
      configs: [
        { name: "get-sum", permission_policy: { type: "always_deny" } },
        { name: "get-env", enabled: false },
        { name: "get-tiny-image", permission_policy: { type: "always_allow" } },
      ],
    },
  });
  const denied = await runTurn(
    api,
    id,
    { tool: "mcp__all__get-sum", input: { a: 1, b: 1 } },
    { tool: "mcp__all__get-env", input: {} },
  );
  assert.equal(ofType(denied, "agent.mcp_tool_use")[0]?.evaluated_permission, "deny");
  assert.equal(ofType(denied, "agent.mcp_tool_result")[0]?.is_error, true);
  assert.match(ofType(denied, "agent.tool_result")[0]?.content[0].text, /no tool named 'mcp__all__get-env'/);

  const waitingTurn = await runTurn(api, id, echo("asked"));
  const [use] = ofType(waitingTurn, "agent.mcp_tool_use");
  assert.equal(use?.evaluated_permission, "ask");
  assert.deepEqual(waitingTurn.at(-1)?.stop_reason, { type: "requires_action", event_ids: [use?.id] });
  const confirmation = { type: "user.tool_confirmation", tool_use_id: use?.id, result: "allow" };
  const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [confirmation] });
  assert.deepEqual(mcpResultTexts(await waitForTurn(api, id, sent.data[0].id)), ["Echo: asked"]);
});

covers(["mcp-permission"], "MCP defaults: for every tool without a setting of its own", async () => {
  const never = { type: "always_deny" };
  const asked = await makeMcpSession({ toolset: { default_config: { permission_policy: never } } });
  const denied = await runTurn(api, asked.id, echo("denied"));
  assert.equal(ofType(denied, "agent.mcp_tool_use")[0]?.evaluated_permission, "deny");

  const configs = [{ name: "echo", permission_policy: { type: "always_allow" }, enabled: true }];
  const off = await makeMcpSession({ toolset: { default_config: { enabled: false }, configs } });
  const sum = { tool: "mcp__all__get-sum", input: { a: 1, b: 1 } };
  const events = await runTurn(api, off.id, echo("enabled"), sum);
  assert.deepEqual(mcpResultTexts(events), ["Echo: enabled"]);
  assert.match(ofType(events, "agent.tool_result")[0]?.content[0].text, /no tool named 'mcp__all__get-sum'/);
});

covers(["mcp-credential"], "replaced vault token: used from the next call on", async (t) => {
  const { id, credential } = await makeMcpSession();
  t.after(() => {
    proxy.token = TOKEN;
  });
  assert.deepEqual(mcpResultTexts(await runTurn(api, id, echo("first"))), ["Echo: first"]);
  proxy.token = "canary-token-that-is-new";
  const [denied] = mcpResultTexts(await runTurn(api, id, echo("second")));
  assert.match(denied, /rejected the session.s credential/);
  await api.ok("POST", credential, { auth: { type: "static_bearer", token: proxy.token } });
  assert.deepEqual(mcpResultTexts(await runTurn(api, id, echo("third"))), ["Echo: third"]);
  await api.ok("POST", `${credential}/archive`);
  assert.match(mcpResultTexts(await runTurn(api, id, echo("fourth")))[0], /asks for a credential/);
});

covers(
  ["mcp-failure"],
  "rejected credential: the session continues without the tools, and has them later",
  async () => {
    const { id, credential } = await makeMcpSession({ token: "wrong" });
    const without = await runTurn(api, id, { say: "on my own" }, echo("x"));
    assert.deepEqual(errorTypes(without), ["mcp_authentication_failed_error"]);
    const [{ error }] = ofType(without, "session.error");
    assert.deepEqual([error.mcp_server_name, error.retry_status.type], ["all", "retrying"]);
    assert.match(ofType(without, "agent.tool_result")[0]?.content[0].text, /no tool named/);
    await api.ok("POST", credential, { auth: { type: "static_bearer", token: TOKEN } });
    const later = await runTurn(api, id, echo("here"));
    assert.deepEqual([errorTypes(later), mcpResultTexts(later)], [[], ["Echo: here"]]);
  },
);

covers(["mcp-failure"], "unavailable server: each turn reports an mcp_connection_failed_error", async (t) => {
  const { id } = await makeMcpSession();
  t.after(() => {
    proxy.override = null;
  });
  proxy.override = (_, response) => {
    response.writeHead(503).end("canary words of the server");
    return true;
  };
  for (const _ of [1, 2]) {
    const events = await runTurn(api, id, { say: "alone" });
    assert.deepEqual(errorTypes(events), ["mcp_connection_failed_error"]);
    assert.match(ofType(events, "session.error")[0]?.error.message, /'all' could not be used.*HTTP 503/);
    assert.ok(!JSON.stringify(events).includes("canary"));
    assert.equal(events.at(-1)?.stop_reason.type, "end_turn");
  }
  proxy.override = null;
  assert.deepEqual(mcpResultTexts(await runTurn(api, id, echo("up"))), ["Echo: up"]);
});

covers(
  ["mcp-network"],
  "MCP networking: the environment and, for a private address, the operator must allow the server",
  async () => {
    const limited = (fields: Json) => ({
      environment: { config: { type: "cloud", networking: { type: "limited", ...(fields as object) } } },
    });
    const closed = await makeMcpSession(limited({}));
    const rejected = await runTurn(api, closed.id, { say: "alone" });
    assert.deepEqual(errorTypes(rejected), ["mcp_connection_failed_error"]);
    assert.match(
      ofType(rejected, "session.error")[0]?.error.message,
      /networking of the session's environment/,
    );
    assert.deepEqual(await deniedIn(closed.id), [`127.0.0.1:${new URL(proxy.url).port} not_allowed`]);
    const any = await makeMcpSession({
      environment: { config: { type: "cloud", networking: { type: "unrestricted" } } },
    });
    assert.deepEqual(mcpResultTexts(await runTurn(api, any.id, echo("x"))), ["Echo: x"]);
    const posts = () => proxy.received.filter((method) => method.startsWith("POST")).length;
    const before = posts();
    for (const url of ["https://127.0.0.1:1/mcp", "https://localhost:1/mcp", "https://10.0.0.1/mcp"]) {
      const { id } = await makeMcpSession({ url });
      const events = await runTurn(api, id, { say: "alone" });
      assert.deepEqual(errorTypes(events), ["mcp_connection_failed_error"]);
      assert.match(ofType(events, "session.error")[0]?.error.message, /is not allowed/);
      const { hostname, port } = new URL(url);
      assert.deepEqual(await deniedIn(id), [`${hostname}:${port || 443} private_address`]);
    }
    assert.equal(posts(), before);
  },
);

/** Returns the distinct denied connections of a session, each as `host:port reason`. */
async function deniedIn(id: string): Promise<string[]> {
  const { data } = await api.ok("GET", `/sessions/${id}/events?types[]=session.egress_denied`);
  return [...new Set(data.map(({ host, port, reason }: AnyJson) => `${host}:${port} ${reason}`) as string[])];
}

covers(["mcp-interrupt"], "interrupt: ends a slow MCP call, and the next turn works", async () => {
  const { id } = await makeMcpSession();
  const slow = { tool: "mcp__all__trigger-long-running-operation", input: { duration: 60, steps: 60 } };
  const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [steps(slow)] });
  await readEventsUntil(api, id, ({ type }) => type === "agent.mcp_tool_use");
  await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
  const events = await waitForTurn(api, id, sent.data[0].id);
  assert.match(ofType(events, "agent.mcp_tool_result")[0]?.content[0].text, /interrupted/);
  assert.equal(events.at(-1)?.stop_reason.type, "cancelled");
  assert.deepEqual(mcpResultTexts(await runTurn(api, id, echo("on"))), ["Echo: on"]);
});

covers(["mcp-interrupt"], "interrupt: ends the wait for a server that does not respond", async (t) => {
  t.after(() => {
    proxy.override = null;
  });
  const { id } = await makeMcpSession();
  // Only POSTs count: connections of earlier sessions may send a DELETE meanwhile.
  const posts = () => proxy.received.filter((method) => method.startsWith("POST")).length;
  const before = posts();
  proxy.override = () => true;
  const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [steps({ say: "never" })] });
  await proxy.until(() => posts() > before);
  await api.ok("POST", `/sessions/${id}/events`, { events: [{ type: "user.interrupt" }] });
  const events = await waitForTurn(api, id, sent.data[0].id);
  assert.equal(events.at(-1)?.stop_reason.type, "cancelled");
  assert.deepEqual([errorTypes(events), ofType(events, "agent.message")], [[], []]);
  proxy.override = null;
  const next = await runTurn(api, id, echo("on"));
  assert.deepEqual([mcpResultTexts(next), ofType(next, "agent.message")], [["Echo: on"], []]);
});

covers(
  ["mcp-tools-fixed"],
  "MCP tools: listed once for a session; an idle session closes the connection",
  async () => {
    const { id } = await makeMcpSession({ url: countedProxy.url });
    assert.deepEqual(mcpResultTexts(await runTurn(api, id, echo("one"))), ["Echo: one"]);
    await countedProxy.until(() => countedProxy.received.includes("DELETE"));
    assert.deepEqual(mcpResultTexts(await runTurn(api, id, echo("two"))), ["Echo: two"]);
    assert.equal(countedProxy.received.filter((method) => method === "POST tools/list").length, 1);
    assert.equal(countedProxy.received.filter((method) => method === "POST initialize").length, 2);
  },
);
