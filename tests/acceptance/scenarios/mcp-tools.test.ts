// Tests tool lists and results as real MCP servers send them: long, odd, and partly unusable.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import {
  type McpRequest,
  type ScriptedMcpServer,
  startScriptedMcpServer,
} from "../../mcp-host/scripted-mcp-server.ts";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { type ChatEndpoint, respondDone, startChatEndpoint } from "../harness/chat-endpoint.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, runTurn, waitForTurn } from "../harness/fixtures.ts";
import { SecretScanner } from "../harness/secret-scanner.ts";
import { waitUntil } from "../harness/wait-until.ts";

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
/** A server with resources and instructions, whose tools change. */
let changing: ScriptedMcpServer;
let chat: ChatEndpoint;
let directory: string;
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
  careless = await startScriptedMcpServer(
    ({ method }) =>
      method === "tools/list" ? { tools: carelessTools() } : { content: [{ type: "text", text: TOKEN }] },
    { instructions: `Send ${TOKEN} with each request.` },
  );
  changing = await startScriptedMcpServer(answerChanging, {
    capabilities: { tools: { listChanged: true }, resources: {} },
    instructions: `Call first before second.\nThen rest. ${"x".repeat(5_000)}`,
  });
  chat = await startChatEndpoint();
  directory = await mkdtemp(join(tmpdir(), "berth-mcp-"));
  const providers = { local: { kind: "openai-compatible", base_url: chat.url } };
  const models = { providers, models: [{ id: "local/quiet" }] };
  await writeFile(join(directory, "models.json"), JSON.stringify(models));
  const hosts = [odd, many, careless, changing].map(({ url }) => new URL(url).host).join();
  berth = await Berth.start({
    settings: { BERTH_EGRESS_ALLOW_PRIVATE: hosts, BERTH_MODELS_FILE: join(directory, "models.json") },
  });
  api = await berth.client();
});
after(async () => {
  await berth.stop();
  odd.stop();
  many.stop();
  careless.stop();
  changing.stop();
  await chat.close();
  await rm(directory, { recursive: true });
});

/** Returns the tools of a careless server, which shows the caller's token. */
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

async function makeSession(
  url: string,
  more: object[] = [],
  vaults: string[] = [],
  model?: string,
): Promise<string> {
  const allowed = { default_config: { permission_policy: { type: "always_allow" } } };
  const agent = await makeAgent(api, {
    ...(model !== undefined && { model }),
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

/** The tools of the server whose list changes. */
let names = ["first"];
const offers = (...offered: string[]) => {
  names = offered;
};

function answerChanging({ method, params }: McpRequest): object | undefined {
  if (method === "tools/list") return { tools: names.map((name) => ({ name, inputSchema: object() })) };
  if (method === "resources/read")
    return { contents: [{ uri: params?.uri, text: `contents of ${params?.uri}` }] };
  return method === "tools/call"
    ? { content: [{ type: "text", text: `called ${params?.name}` }] }
    : undefined;
}

const call = (name: string, input: object = {}) => ({ tool: `mcp__all__${name}`, input: input as Json });
const listings = () => changing.received.filter(({ method }) => method === "tools/list").length;
const retry = (name: string) => ({ mcp_servers: [{ name, retry: true }] });

covers(
  ["mcp-retry"],
  "retry of an MCP server: the next turn has its tools of then; if it cannot be asked, those of before",
  async (t) => {
    offers("first");
    const id = await makeSession(changing.url);
    assert.deepEqual(resultTexts(await runTurn(api, id, call("first"))), ["called first"]);
    offers("second");
    const before = listings();
    assert.deepEqual(resultTexts(await runTurn(api, id, call("first"))), ["called first"], "the tools stay");
    const invalid = { param: "mcp_servers[0].name" };
    assertError(await api.post(`/sessions/${id}`, retry("other")), 400, "invalid_request_error", invalid);
    await api.ok("POST", `/sessions/${id}`, retry("all"));
    const events = await runTurn(api, id, call("second"), call("first"));
    assert.deepEqual([resultTexts(events), listings() - before], [["called second"], 1]);
    assert.match(ofType(events, "agent.tool_result")[0]?.content[0].text, /no tool named 'mcp__all__first'/);
    await api.ok("POST", `/sessions/${id}`, retry("all"));
    t.after(() => {
      changing.respond = answerChanging;
    });
    changing.respond = (request) => (request.method === "tools/list" ? undefined : answerChanging(request));
    assert.deepEqual(resultTexts(await runTurn(api, id, call("second"))), ["called second"]);
    assert.equal(listings() - before, 2);
  },
);

covers(
  ["mcp-retry", "prefix-log-line"],
  "MCP server that says that its tools changed: a later turn has the new ones, and the log says that the prefix changed",
  async () => {
    offers("first");
    const id = await makeSession(changing.url);
    await runTurn(api, id, call("first"));
    offers("first", "third");
    await changing.notify("notifications/tools/list_changed");
    // The notification may arrive late.
    for (;;) {
      const [text] = resultTexts(await runTurn(api, id, call("third")));
      if (text === "called third") break;
    }
    const before = listings();
    await runTurn(api, id, call("third"));
    assert.equal(listings(), before);
    const said = () => prefixLines(id);
    await waitUntil(
      () => said().length > 0,
      () => "no line says that the prefix changed",
    );
    const [{ organization, part, tool, msg: _, time: __, ...rest } = {} as AnyJson, ...others] = said();
    assert.match(organization, /^org_/);
    assert.deepEqual([part, tool, rest.level, others], ["tools", "mcp__all__third", 40, []]);
  },
);

/** Returns the log entries about changed prefixes of a session. */
function prefixLines(id: string): AnyJson[] {
  const lines = berth.log
    .split("\n")
    .filter((line) => line.includes("the prefix of a model request changed"));
  return lines.map((line) => JSON.parse(line)).filter(({ session }) => session === id);
}

covers(["mcp-resources"], "MCP resources: a tool reads those that results name", async () => {
  offers("first");
  const id = await makeSession(changing.url);
  const read = call("read_resource", { uri: "note://1" });
  const events = await runTurn(api, id, read, call("read_resource"));
  const [use] = ofType(events, "agent.mcp_tool_use");
  const [found, wrong] = ofType(events, "agent.mcp_tool_result");
  assert.deepEqual([use.mcp_server_name, use.name], ["all", "read_resource"]);
  assert.deepEqual(found.content, [{ type: "text", text: "[Resource note://1]\ncontents of note://1" }]);
  assert.equal(wrong.is_error, true);
  const plain = await runTurn(api, await makeSession(odd.url), read);
  assert.match(ofType(plain, "agent.tool_result")[0]?.content[0].text, /no tool named/);
});

covers(
  ["mcp-resources"],
  "MCP server's instructions: in the prompt of the session, as the server's words",
  async () => {
    offers("first");
    const id = await makeSession(changing.url, [], [], "local/quiet");
    const ask = async (text: string) => {
      const event = { type: "user.message", content: [{ type: "text", text }] };
      const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [event] });
      await waitForTurn(api, id, sent.data[0].id);
      return chat.requests.at(-1);
    };
    const [first, second] = [await ask("one"), await ask("two")];
    const [{ content: prompt }] = first.messages;
    assert.match(
      prompt,
      /# MCP servers\nWhat these servers say .*\nall:\n> Call first before second\.\n> Then rest\. x+ \[…\]$/m,
    );
    assert.ok(prompt.length < 12_000, `${prompt.length}`);
    assert.deepEqual([second.messages[0], second.tools], [first.messages[0], first.tools]);
    assert.ok(first.tools.some(({ function: { name } }: AnyJson) => name === "mcp__all__read_resource"));
  },
);

covers(
  ["mcp-retry"],
  "MCP tool that the model's provider rejected: the next turn asks its server again",
  async () => {
    const tool = (description: string) => ({ name: "first", description, inputSchema: object() });
    const list = (description: string) => (request: McpRequest) =>
      request.method === "tools/list" ? { tools: [tool(description)] } : answerChanging(request);
    const toolNames = ({ tools = [] }: AnyJson) => tools.map((one: AnyJson) => one.function.name);
    chat.respond = (request, response) => {
      const rejected = (request.tools ?? []).find((one: AnyJson) => one.function.description === "broken");
      if (rejected === undefined) return respondDone(response);
      const message = `Invalid schema for function '${rejected.function.name}': it is broken.`;
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message, type: "invalid_request_error", code: null } }));
    };
    changing.respond = list("broken");
    try {
      const id = await makeSession(changing.url, [], [], "local/quiet");
      const say = async (text: string) => {
        const event = { type: "user.message", content: [{ type: "text", text }] };
        const sent = await api.ok("POST", `/sessions/${id}/events`, { events: [event] });
        return await waitForTurn(api, id, sent.data[0].id);
      };
      const [omitted] = ofType(await say("one"), "agent.content_omitted");
      assert.deepEqual(omitted.omitted[0].names, ["mcp__all__first"]);
      assert.ok(!toolNames(chat.requests.at(-1)).includes("mcp__all__first"));
      changing.respond = list("repaired");
      await say("two");
      assert.ok(toolNames(chat.requests.at(-1)).includes("mcp__all__first"));
    } finally {
      chat.respond = (_, response) => respondDone(response);
      changing.respond = answerChanging;
    }
  },
);
