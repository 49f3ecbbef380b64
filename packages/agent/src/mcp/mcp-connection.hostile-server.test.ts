import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { JsonSizeLimit } from "./json-size-limit.ts";
import { McpConnection } from "./mcp-connection.ts";
import { mcpFailure } from "./mcp-failure.ts";
import { mcpDefinitions, mcpTool } from "./mcp-tool.ts";

interface JsonRpcRequest {
  id: number;
  method: string;
}

const never = new AbortController().signal;
const none = JSON.stringify([]);
const json = { headers: { "content-type": "application/json" } };
const events = { headers: { "content-type": "text/event-stream" } };

/** A server with a valid response to `initialize`; `stream` responds to GET and `respond` to every other request. */
function connected(
  t: TestContext,
  respond: (request: JsonRpcRequest) => Response,
  stream: () => Response = () => new Response(null, { status: 405 }),
) {
  const fetch = async (_url: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method === "GET") return stream();
    if (typeof init.body !== "string") return new Response(null, { status: 200 });
    const request = JSON.parse(init.body) as JsonRpcRequest;
    if (request.id === undefined) return new Response(null, { status: 202 });
    if (request.method !== "initialize") return respond(request);
    const serverInfo = { name: "x", version: "1" };
    const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }), json);
  };
  const connection = new McpConnection({ url: "https://mcp.example/", token: async () => null, fetch });
  t.after(() => connection.close());
  return connection;
}

function result(id: number, text: string): Response {
  return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`, json);
}

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
  assert.equal(await failureOf(lists.listTools(never)), "its answer is too long");
  const calls = connected(t, ({ id }) => result(id, `{"content":[${many("1")}]}`));
  assert.equal(await failureOf(calls.callTool("x", {}, never)), "its answer is too long");
});

test("hostile MCP server: a million events or empty lines → closed", { timeout: 60_000 }, async (t) => {
  const notice = `data: {"jsonrpc":"2.0","method":"x"}\n\n`;
  for (const text of [notice.repeat(600_000), `${"\n".repeat(65_535)}\r`.repeat(300)]) {
    const connection = connected(t, () => new Response(text, events));
    assert.equal(await failureOf(connection.callTool("x", {}, never)), "its answer is too long");
  }
});

test("hostile MCP server: a deeply nested schema → closed", async (t) => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const tool = `{"name":"a","inputSchema":{"type":"object","x":${deep}}}`;
  const connection = connected(t, ({ id }) => result(id, `{"tools":[${tool}]}`));
  assert.equal(await failureOf(connection.listTools(never)), "its answer is too long");
});

test("JSON size limit: the content of strings is not counted", () => {
  const exceeds = (text: string) => new JsonSizeLimit().exceededBy(Buffer.from(text));
  assert.equal(exceeds(JSON.stringify({ text: `{[,:${'"\\'.repeat(9)}`.repeat(100_000) })), false);
  assert.equal(exceeds(`: "\n${none.repeat(30_000)}`), true, "a quote has no effect on other lines");
  assert.equal(exceeds(`${"]".repeat(500)}${"[".repeat(129)}`), true, "the depth never falls below zero");
  const limit = new JsonSizeLimit();
  const halves = [`{"a":"\\`, `"${",".repeat(30_000)}`, `","b":[1]}`];
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
  const tool = mcpTool({ server: "x", definition, permission: "always_allow", connection });
  const absent = () => Promise.reject(new Error("An MCP tool needs no sandbox."));
  const { content } = await tool.run({}, { sandbox: absent, environment: absent, signal: never });
  const [block] = content;
  assert.ok(block?.type === "text" && /^The MCP server 'x' refused the call: begin e/.test(block.text));
  assert.ok(block.text.length < 11_000);
  const named = (name: string) => ({ name, inputSchema: { type: "object" as const } });
  const names = ["fine", "n".repeat(257), "a\nb", "a\u202eb", "ünlaut"].map(named);
  assert.deepEqual(
    mcpDefinitions("x", names).map(({ tool }) => tool),
    ["fine", "ünlaut"],
  );
});
