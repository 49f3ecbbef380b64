import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { JsonSizeLimit } from "./json-size-limit.ts";
import { McpConnection } from "./mcp-connection.ts";
import { mcpFailure } from "./mcp-failure.ts";
import { mcpDefinitions, mcpTool } from "./mcp-tool.ts";

interface Asked {
  id: number;
  method: string;
}

const never = new AbortController().signal;
const none = JSON.stringify([]);
const json = { headers: { "content-type": "application/json" } };
const events = { headers: { "content-type": "text/event-stream" } };

/** A server that answers `initialize` as it should, streams with `stream`, and what it is asked then with `answer`. */
function connected(
  t: TestContext,
  answer: (asked: Asked) => Response,
  stream: () => Response = () => new Response(null, { status: 405 }),
) {
  const fetch = async (_url: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method === "GET") return stream();
    if (typeof init.body !== "string") return new Response(null, { status: 200 });
    const asked = JSON.parse(init.body) as Asked;
    if (asked.id === undefined) return new Response(null, { status: 202 });
    if (asked.method !== "initialize") return answer(asked);
    const serverInfo = { name: "x", version: "1" };
    const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result }), json);
  };
  const connection = new McpConnection({ url: "https://mcp.example/", token: async () => null, fetch });
  t.after(() => connection.close());
  return connection;
}

function result(id: number, text: string): Response {
  return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`, json);
}

async function faultOf(asking: Promise<unknown>): Promise<string> {
  return await asking.then(
    () => "was answered",
    (error: unknown) => mcpFailure(error).reason,
  );
}

test("an answer of a million parts is given up before it is read", { timeout: 60_000 }, async (t) => {
  const many = (part: string) => `${`${part},`.repeat(1_000_000)}${part}`;
  const lists = connected(t, ({ id }) => result(id, `{"tools":[${many("{}")}]}`));
  assert.equal(await faultOf(lists.listTools(never)), "its answer is too long");
  const calls = connected(t, ({ id }) => result(id, `{"content":[${many("1")}]}`));
  assert.equal(await faultOf(calls.callTool("x", {}, never)), "its answer is too long");
});

test("an answer of a million events or empty lines is given up", { timeout: 60_000 }, async (t) => {
  const notice = `data: {"jsonrpc":"2.0","method":"x"}\n\n`;
  for (const text of [notice.repeat(600_000), `${"\n".repeat(65_535)}\r`.repeat(300)]) {
    const connection = connected(t, () => new Response(text, events));
    assert.equal(await faultOf(connection.callTool("x", {}, never)), "its answer is too long");
  }
});

test("a schema of great depth is given up", async (t) => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const tool = `{"name":"a","inputSchema":{"type":"object","x":${deep}}}`;
  const connection = connected(t, ({ id }) => result(id, `{"tools":[${tool}]}`));
  assert.equal(await faultOf(connection.listTools(never)), "its answer is too long");
});

test("what is counted is JSON, not what strings hold", () => {
  const exceeds = (text: string) => new JsonSizeLimit().exceededBy(Buffer.from(text));
  assert.equal(exceeds(JSON.stringify({ text: `{[,:${'"\\'.repeat(9)}`.repeat(100_000) })), false);
  assert.equal(exceeds(`: "\n${none.repeat(30_000)}`), true, "a quote in another line hides nothing");
  assert.equal(exceeds(`${"]".repeat(500)}${"[".repeat(129)}`), true, "depth is not lent");
  const limit = new JsonSizeLimit();
  const halves = [`{"a":"\\`, `"${",".repeat(30_000)}`, `","b":[1]}`];
  assert.deepEqual(
    halves.map((half) => limit.exceededBy(Buffer.from(half))),
    [false, false, false],
  );
});

test("a stream that ends at once is not asked for again without a pause", async (t) => {
  const asked: number[] = [];
  const seen = Promise.withResolvers<void>();
  const stream = () => {
    asked.push(performance.now());
    if (asked.length === 3) seen.resolve();
    return new Response(`retry: 0\nid: ${asked.length}\ndata: \n\n`, events);
  };
  await connected(t, ({ id }) => result(id, `{"tools":[]}`), stream).listTools(never);
  await seen.promise;
  const [first = 0, , third = 0] = asked;
  assert.ok(third - first > 1_900, `3 streams within ${third - first} ms`);
});

test("a refusal of a call is told within bounds, and names that are none are left out", async (t) => {
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
