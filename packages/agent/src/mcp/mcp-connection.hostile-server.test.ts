import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { JsonSizeLimit } from "./json-size-limit.ts";
import { McpConnection } from "./mcp-connection.ts";
import { leftOutSentence, mcpDefinitions } from "./mcp-definitions.ts";
import { mcpFailure } from "./mcp-failure.ts";
import { mcpTool } from "./mcp-tool.ts";

interface JsonRpcRequest {
  id: number;
  method: string;
}

const never = new AbortController().signal;
const kept = { keepsFiles: false, mask: (text: string) => text };
const noItems = JSON.stringify([]);
const json = { headers: { "content-type": "application/json" } };
const events = { headers: { "content-type": "text/event-stream" } };

/**
 * Connects to a server with a valid response to `initialize`; `stream` responds to GET and `respond` to every
 * other request.
 */
function connected(
  t: TestContext,
  respond: (request: JsonRpcRequest) => Response,
  stream: () => Response = () => new Response(null, { status: 405 }),
  options: { connectMs?: number } = {},
) {
  const fetch = async (_url: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method === "GET") return stream();
    if (typeof init.body !== "string") return new Response(null, { status: 200 });
    const request = JSON.parse(init.body) as JsonRpcRequest;
    if (request.id === undefined) return new Response(null, { status: 202 });
    if (request.method === "server/discover") return unknownMethod(request);
    if (request.method !== "initialize") return respond(request);
    const serverInfo = { name: "x", version: "1" };
    const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }), json);
  };
  const connection = new McpConnection({
    url: "https://mcp.example/",
    token: async () => null,
    fetch,
    ...options,
  });
  t.after(() => connection.close());
  return connection;
}

function unknownMethod({ id }: JsonRpcRequest): Response {
  const error = { code: -32_601, message: "Method not found" };
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, error }), json);
}

function result(id: number, text: string): Response {
  return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`, json);
}

const TOO_LONG = "its response is too large: over 32 MiB or a million values";

async function failureOf(asking: Promise<unknown>): Promise<string> {
  return await asking.then(
    () => "succeeded",
    (error: unknown) => mcpFailure(error).reason,
  );
}

test("hostile MCP server: a response with a million values → closed before it is parsed", {
  timeout: 60_000,
}, async (t) => {
  const many = (part: string) => `${`${part},`.repeat(1_000_000)}${part}`;
  const lists = connected(t, ({ id }) => result(id, `{"tools":[${many("{}")}]}`));
  assert.equal(await failureOf(lists.listTools(never)), TOO_LONG);
  const calls = connected(t, ({ id }) => result(id, `{"content":[${many("1")}]}`));
  assert.equal(await failureOf(calls.callTool("x", {}, never)), TOO_LONG);
});

test("hostile MCP server: a million events or empty lines → closed", { timeout: 60_000 }, async (t) => {
  const notice = `data: {"jsonrpc":"2.0","method":"x"}\n\n`;
  for (const text of [notice.repeat(600_000), `${"\n".repeat(65_535)}\r`.repeat(300)]) {
    const connection = connected(t, () => new Response(text, events));
    assert.equal(await failureOf(connection.callTool("x", {}, never)), TOO_LONG);
  }
});

test("hostile MCP server: a deeply nested schema → closed", async (t) => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const tool = `{"name":"a","inputSchema":{"type":"object","x":${deep}}}`;
  const connection = connected(t, ({ id }) => result(id, `{"tools":[${tool}]}`));
  assert.equal(await failureOf(connection.listTools(never)), TOO_LONG);
});

test("JSON size limit: the content of strings is not counted", () => {
  const exceeds = (text: string) => new JsonSizeLimit(true).exceededBy(Buffer.from(text));
  assert.equal(exceeds(JSON.stringify({ text: `{[,:${'"\\'.repeat(9)}`.repeat(100_000) })), false);
  assert.equal(exceeds(`: "\n${noItems.repeat(1_000_000)}`), true, "a quote has no effect on other lines");
  assert.equal(exceeds(`${"]".repeat(500)}${"[".repeat(129)}`), true, "the depth never falls below zero");
  const limit = new JsonSizeLimit(true);
  const halves = [`{"a":"\\`, `"${",".repeat(1_100_000)}`, `","b":[1]}`];
  assert.deepEqual(
    halves.map((half) => limit.exceededBy(Buffer.from(half))),
    [false, false, false],
  );
});

test("hostile MCP server: a stream that ends at once is not reopened without a delay", async (t) => {
  const times: number[] = [];
  const seen = Promise.withResolvers<void>();
  const stream = () => {
    times.push(performance.now());
    if (times.length === 3) seen.resolve();
    return new Response(`retry: 0\nid: ${times.length}\ndata: \n\n`, events);
  };
  await connected(t, ({ id }) => result(id, `{"tools":[]}`), stream).listTools(never);
  await seen.promise;
  const [first = 0, , third = 0] = times;
  assert.ok(third - first > 1_900, `3 streams within ${third - first} ms`);
});

test("hostile MCP server: error messages are truncated, and tools with invalid names are left out", async (t) => {
  const error = { code: -32_000, message: `begin ${"e".repeat(3_000_000)} end` };
  const connection = connected(
    t,
    ({ id }) => new Response(JSON.stringify({ jsonrpc: "2.0", id, error }), json),
  );
  const definition = { name: "mcp__x__a", tool: "a", description: "", inputSchema: {} };
  const tool = mcpTool({ server: "x", definition, permission: "always_allow", connection, ...kept });
  const absent = () => Promise.reject(new Error("An MCP tool needs no sandbox."));
  const { content } = await tool.run({}, { sandbox: absent, environment: absent, signal: never });
  const [block] = content;
  assert.ok(block?.type === "text" && /^The MCP server 'x' refused the call: begin e/.test(block.text));
  assert.ok(block.text.length < 11_000);
  const named = (name: string) => ({ name, inputSchema: { type: "object" as const } });
  const names = ["fine", "n".repeat(257), "a\nb", "a\u202eb", "ünlaut"].map(named);
  const { tools, leftOut } = mcpDefinitions("x", { tools: names, truncated: false });
  assert.deepEqual(
    tools.map(({ tool }) => tool),
    ["fine", "ünlaut"],
  );
  assert.equal(leftOut.length, 3);
});

test("hostile MCP server: a list of many tools is read up to its limits, within one deadline, in linear time", {
  timeout: 60_000,
}, async (t) => {
  const tools = (from: number, count: number) =>
    Array.from(
      { length: count },
      (_, index) => `{"name":"t${from + index}","inputSchema":{"type":"object"}}`,
    );
  let pages = 0;
  const endless = connected(t, ({ id }) => {
    pages += 1;
    return result(id, `{"tools":[${tools(pages * 2_800, 2_800)}],"nextCursor":"${pages}"}`);
  });
  const list = await endless.listTools(never);
  assert.deepEqual([list.tools.length, list.truncated, pages], [10_000, true, 4]);
  const definitions = mcpDefinitions("x", list);
  assert.equal(definitions.tools.length, 256);
  assert.match(
    String(leftOutSentence("x", definitions)),
    /^Of the tools .* left out: 't3056', .*\(more than 256 tools\); 9734 more; what its list holds further on/,
  );
  const last = mcpDefinitions("x", list, (tool) => tool === "t12799");
  assert.deepEqual([last.tools.length, last.leftOut], [1, []], "only what is enabled counts");

  const wide = connected(t, ({ id }) => result(id, `{"tools":[${tools(0, 44_800)}]}`));
  assert.equal((await wide.listTools(never)).tools.length, 10_000);
  const circle = connected(t, ({ id }) => result(id, `{"tools":[${tools(0, 1)}],"nextCursor":"same"}`));
  assert.equal((await circle.listTools(never)).tools.length, 2);
  const empty = connected(t, ({ id }) => result(id, `{"tools":[],"nextCursor":"${id}"}`));
  const { tools: none, truncated } = await empty.listTools(never);
  assert.deepEqual([none.length, truncated], [0, true]);
  const big = `{"name":"big","description":"${"x".repeat(1_500_000)}","inputSchema":{"type":"object"}}`;
  const long = connected(t, ({ id }) => result(id, `{"tools":[${[big, big, big, big]}]}`));
  const cut = await long.listTools(never);
  assert.deepEqual([cut.tools.length, cut.truncated], [2, true]);
  assert.match(String(leftOutSentence("x", mcpDefinitions("x", cut))), /'big' \(.*more than 100000 char/);

  const work = (count: number) => {
    const many = { tools: Array.from({ length: count }, (_, at) => ({ name: `t${at}` })), truncated: false };
    const begun = process.threadCpuUsage();
    mcpDefinitions("x", many);
    return process.threadCpuUsage(begun).user / 1_000;
  };
  work(1_000);
  const [short, longer] = [work(20_000), work(160_000)];
  assert.ok(longer < 40 * Math.max(short, 5), `${longer} ms for 8 times the tools of ${short} ms`);
});

test("hostile MCP server: pages that come slowly share one deadline", async (t) => {
  let pages = 0;
  const slow = (id: number): Response => {
    pages += 1;
    const text = `{"jsonrpc":"2.0","id":${id},"result":{"tools":[],"nextCursor":"${pages}"}}`;
    const body = new ReadableStream({
      start: (stream) =>
        void setTimeout(() => {
          stream.enqueue(Buffer.from(text));
          stream.close();
        }, 300),
    });
    return new Response(body, json);
  };
  const connection = connected(t, ({ id }) => slow(id), undefined, { connectMs: 2_000 });
  assert.equal(await failureOf(connection.listTools(never)), "it did not respond in time");
  assert.ok(pages >= 1 && pages < 10, `${pages} pages`);
});

test("MCP server with tools that cannot be used: the others work, and each of these is named with the reason", async (t) => {
  const fine = { name: "fine", inputSchema: { type: "object", properties: { $filter: { type: "string" } } } };
  const offered = [
    { name: "text", inputSchema: { type: "string" } },
    fine,
    { name: "list", inputSchema: { type: "array", items: {} } },
    { name: "odd", inputSchema: 3 },
    { name: "task", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
    { inputSchema: { type: "object" } },
    fine,
    null,
    { name: "bare", description: 5 },
  ];
  const seen: unknown[] = [];
  const connection = connected(t, ({ id, ...request }) => {
    seen.push((request as { params?: unknown }).params);
    if (request.method === "tools/list") return result(id, JSON.stringify({ tools: offered }));
    return result(id, `{"content":[{"type":"text","text":"ok"},{"type":"later"},{"type":"text"},7]}`);
  });
  const definitions = mcpDefinitions("x", await connection.listTools(never));
  assert.deepEqual(
    definitions.tools.map(({ tool }) => tool),
    ["fine", "bare"],
  );
  assert.equal(
    leftOutSentence("x", definitions),
    "Of the tools of the MCP server 'x', these are left out: 'text' (its input schema is of type string, not object); " +
      "'list' (its input schema is of type array, not object); 'odd' (its input schema is not an object); " +
      "number 6 of its list, number 8 of its list (it has no name); " +
      "'fine' (its name occurs twice).",
  );
  const [definition] = definitions.tools;
  assert.ok(definition);
  const tool = mcpTool({ server: "x", definition, permission: "always_allow", connection, ...kept });
  const absent = () => Promise.reject(new Error("An MCP tool needs no sandbox."));
  const { content } = await tool.run(
    { _filter: "a" },
    { sandbox: absent, environment: absent, signal: never },
  );
  assert.deepEqual((seen.at(-1) as { arguments: unknown }).arguments, { $filter: "a" });
  const unknown = { type: "text", text: "[Content of a kind that is not known here.]" };
  assert.deepEqual(content, [{ type: "text", text: "ok" }, unknown, unknown, unknown]);
});
