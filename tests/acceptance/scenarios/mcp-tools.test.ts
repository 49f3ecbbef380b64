// Subject: lists of tools and results of MCP servers as they are in the world: long, odd, in part unusable.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import {
  type McpRequest,
  type ScriptedMcpServer,
  startScriptedMcpServer,
} from "../../mcp-host/scripted-mcp-server.ts";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, runTurn } from "../harness/fixtures.ts";
import { SecretScanner } from "../harness/secret-scanner.ts";

const object = (properties: object = {}) => ({ type: "object", properties });
const ODD_TOOLS = [
  { name: "text", inputSchema: { type: "string" } },
  { name: "filter", inputSchema: object({ $filter: { type: "string" }, "by name": { type: "string" } }) },
  { name: "either", inputSchema: { type: "object", anyOf: [object({ a: {} }), object({ b: {} })] } },
];
const TOKEN = "mcp-Zk3canaryQ9wLxV7mR2tYpE8";
const LINE = "a line of a long answer\n";

let odd: ScriptedMcpServer;
let many: ScriptedMcpServer;
let careless: ScriptedMcpServer;
let berth: Berth;
let api: Api;
before(async () => {
  odd = await startScriptedMcpServer(answerOdd);
  many = await startScriptedMcpServer(({ method, params }) => {
    if (method !== "tools/list") return method === "tools/call" ? { content: [] } : undefined;
    const page = Number(params?.cursor ?? 0);
    const tools = Array.from({ length: 2_800 }, (_, at) => ({
      name: `t${page * 2_800 + at}`,
      inputSchema: object(),
    }));
    return { tools, ...(page < 63 && { nextCursor: `${page + 1}` }) };
  });
  careless = await startScriptedMcpServer(({ method }) =>
    method === "tools/list" ? { tools: carelessTools() } : { content: [{ type: "text", text: TOKEN }] },
  );
  const hosts = [odd, many, careless].map(({ url }) => new URL(url).host).join();
  berth = await Berth.start({ settings: { BERTH_EGRESS_ALLOW_PRIVATE: hosts } });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  odd.stop();
  many.stop();
  careless.stop();
});

/** Tools of a server that shows the token of whoever asks. */
function carelessTools(): object[] {
  const base64 = Buffer.from(`Bearer ${TOKEN}`).toString("base64");
  return [
    { name: `of_${TOKEN}`, inputSchema: object() },
    { name: `${"long_".repeat(16)}${TOKEN}`, inputSchema: object() },
    { name: "whoami", description: `You are ${TOKEN}.`, inputSchema: object() },
    { name: "search", inputSchema: object({ [TOKEN]: { type: "string" }, as: { default: base64 } }) },
    { name: "note", inputSchema: object({ text: { enum: [[...TOKEN].join("\u200b")] } }) },
  ];
}

function answerOdd({ method, params }: McpRequest): object | undefined {
  if (method === "tools/list") return { tools: ODD_TOOLS };
  if (method !== "tools/call") return undefined;
  if (params?.name === "either") return { content: [{ type: "text", text: LINE.repeat(200_000) }] };
  return { content: [{ type: "text", text: "Found it." }], structuredContent: params?.arguments };
}

async function makeSession(url: string, more: object[] = [], vaults: string[] = []): Promise<string> {
  const allowed = { default_config: { permission_policy: { type: "always_allow" } } };
  const agent = await makeAgent(api, {
    mcp_servers: [{ type: "url", name: "all", url }],
    tools: [{ type: "mcp_toolset", mcp_server_name: "all", ...allowed }, ...more],
  });
  const environment = await makeEnvironment(api, {
    config: { type: "cloud", networking: { type: "limited", allow_mcp_servers: true } },
  });
  const body = { agent: agent.id, environment_id: environment.id, vault_ids: vaults };
  const session = await api.ok("POST", "/sessions", body);
  return session.id;
}

const ofType = (events: AnyJson[], type: string) => events.filter((event) => event.type === type);
const resultTexts = (events: AnyJson[]): string[] =>
  ofType(events, "agent.mcp_tool_result").map(({ content }) =>
    content.map(({ text }: AnyJson) => text).join("\n"),
  );

covers(
  ["mcp-tools-left-out"],
  "MCP tools with odd schemas: those that can be used are, with their own names; the others are named in the log",
  async () => {
    const id = await makeSession(odd.url);
    const events = await runTurn(
      api,
      id,
      { tool: "mcp__all__filter", input: { _filter: "x", by_name: "y" } },
      { tool: "mcp__all__text", input: {} },
    );
    const [{ error }] = ofType(events, "session.error");
    assert.deepEqual(error, {
      type: "mcp_tools_left_out_error",
      message:
        "Of the tools of the MCP server 'all', these are left out: 'text' (its input schema is of type string, not object).",
      retry_status: { type: "terminal" },
      mcp_server_name: "all",
    });
    assert.deepEqual(resultTexts(events), ['Found it.\n{"$filter":"x","by name":"y"}']);
    assert.match(ofType(events, "agent.tool_result")[0]?.content[0].text, /no tool named 'mcp__all__text'/);
    const next = await runTurn(api, id, { say: "on" });
    assert.deepEqual(ofType(next, "session.error"), [], "it is said once");
  },
);

covers(
  ["mcp-tools-left-out"],
  "MCP server with 176,400 tools in 63 pages: the first 256 are used",
  async () => {
    const id = await makeSession(many.url);
    const events = await runTurn(
      api,
      id,
      { tool: "mcp__all__t255", input: {} },
      { tool: "mcp__all__t256", input: {} },
    );
    assert.equal(ofType(events, "agent.mcp_tool_result").length, 1);
    const [{ error }] = ofType(events, "session.error");
    assert.equal(error.type, "mcp_tools_left_out_error");
    assert.match(
      error.message,
      /'t256', 't257'.*\(more than 256 tools\); \d+ more; what its list holds further on/,
    );
    assert.ok(many.received.filter(({ method }) => method === "tools/list").length < 10);
  },
);

covers(
  ["mcp-long-result"],
  "MCP result of 5 MB: cut in the log, whole in a file that the agent reads",
  async () => {
    const id = await makeSession(odd.url, [{ type: "agent_toolset_20260401", enabled_tools: ["Bash"] }]);
    const events = await runTurn(
      api,
      id,
      { tool: "mcp__all__either", input: {} },
      { tool: "Bash", input: { command: "cat /var/tmp/output/*.txt | wc -c" } },
      { tool: "mcp__all__filter", input: {} },
    );
    const [long = "", after = ""] = resultTexts(events);
    assert.ok(long.length < 102_400, `${long.length}`);
    assert.match(
      long,
      /^a line[\s\S]*characters left out[\s\S]*\[The whole answer is kept in \/var\/tmp\/output\/\w+\.txt\.\]$/,
    );
    assert.equal(ofType(events, "agent.tool_result")[0]?.content[0].text, `${200_000 * LINE.length}`);
    assert.match(after, /^Found it\./, "the connection is in use");
  },
);

covers(
  ["mcp-secrets-masked"],
  "MCP server that shows its credential in names, descriptions and schemas: it is stored and told nowhere",
  async () => {
    const vault = await api.ok("POST", "/vaults", { display_name: "keys" });
    const auth = { type: "static_bearer", mcp_server_url: careless.url, token: TOKEN };
    await api.ok("POST", `/vaults/${vault.id}/credentials`, { auth });
    const id = await makeSession(careless.url, [], [vault.id]);
    const events = await runTurn(api, id, { tool: "mcp__all__whoami", input: {} }, { say: "Done." });
    assert.deepEqual(resultTexts(events), ["[redacted]"]);
    const [{ error }] = ofType(events, "session.error");
    assert.match(error.message, /: number 1 of its list, number 2 of its list \(its name has a secret/);
    const scanner = new SecretScanner();
    scanner.add("the token", TOKEN);
    scanner.add("a part of the token", TOKEN.slice(0, 16));
    scanner.check("the events", JSON.stringify(events));
    scanner.checkTree(berth.dataDir);
  },
);
