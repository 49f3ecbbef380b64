// Subject: which content of an MCP server's results reaches the log, and which is stored in a file of the
// sandbox.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { read } from "../../test-support/built-in-tools.ts";
import { openRealSandbox, type RealSandbox } from "../../test-support/real-sandbox.ts";
import type { ToolResult } from "../tools/tool.ts";
import { McpConnection } from "./mcp-connection.ts";
import { mcpTool } from "./mcp-tool.ts";

let box: RealSandbox;
before(async () => {
  box = await openRealSandbox();
});
after(() => box.close());

const SECRET = "token-of-the-vault";
const mask = (text: string) => text.replaceAll(SECRET, "[redacted]");

/** Calls a tool of a server that answers each call with this result. */
async function callOf(result: object, keepsFiles = true): Promise<ToolResult> {
  const fetch = async (_url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { id, method } = JSON.parse(String(init.body ?? "{}")) as { id?: number; method?: string };
    if (init.method === "GET") return new Response(null, { status: 405 });
    if (id === undefined) return new Response(null, { status: 202 });
    const serverInfo = { name: "x", version: "1" };
    const known: Record<string, object> = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo },
      "tools/call": result,
    };
    const answer = known[method ?? ""];
    const body = answer === undefined ? { error: { code: -32_601, message: "no" } } : { result: answer };
    const headers = { "content-type": "application/json" };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id, ...body }), { headers });
  };
  const connection = new McpConnection({ url: "https://mcp.example/", token: async () => null, fetch });
  const definition = { name: "mcp__x__a", tool: "a", description: "", inputSchema: {} };
  const options = {
    server: "x",
    definition,
    permission: "always_allow" as const,
    connection,
    keepsFiles,
    mask,
  };
  try {
    const { signal } = new AbortController();
    return await mcpTool(options).run(
      {},
      { sandbox: async () => box.sandbox, environment: async () => ({}), signal },
    );
  } finally {
    await connection.close();
  }
}

const text = (content: string) => ({ type: "text", text: content });
const texts = ({ content }: ToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : block.type));
const sizeInLog = (result: ToolResult) => JSON.stringify(result).length;

test("text and structured content: both, the data once", async () => {
  const rows = { rows: [{ id: 1, name: "one" }] };
  const cases: [object, string[]][] = [
    [{ content: [text("Found 2 rows.")], structuredContent: rows }, ["Found 2 rows.", JSON.stringify(rows)]],
    [
      { content: [text(JSON.stringify(rows, null, 2))], structuredContent: rows },
      [JSON.stringify(rows, null, 2)],
    ],
    [{ content: [], structuredContent: rows }, [JSON.stringify(rows)]],
    [{ content: [text("5")], structuredContent: { result: 5 } }, ["5"]],
    [{ content: [text("a b")], structuredContent: { result: "a b" } }, ["a b"]],
    [
      { content: [text('{"a":1}'), text("x")], structuredContent: { result: [{ a: 1 }, "x"] } },
      ['{"a":1}', "x"],
    ],
    [{ content: [text("5")], structuredContent: { result: 6 } }, ["5", '{"result":6}']],
    [{ structuredContent: null }, ["null"]],
    [{ content: [] }, ["(The tool answered nothing.)"]],
  ];
  for (const [result, expected] of cases) assert.deepEqual(texts(await callOf(result)), expected);
});

test("long result: cut in the middle, and the whole, without secrets, in a file that is named", async () => {
  const entities = Array.from({ length: 2_701 }, (_, at) => ({
    type: "entity",
    name: `entity ${at}`,
    entityType: "test",
    observations: [`observed ${at}`, at === 1_500 ? SECRET : "again"],
  }));
  const graph = { entities, relations: [] };
  const whole = JSON.stringify(graph, null, 2);
  const result = await callOf({ content: [text(whole)], structuredContent: graph });
  assert.equal(result.isError, false);
  assert.ok(sizeInLog(result) < 130_000, `${sizeInLog(result)}`);
  const [cut = "", note = ""] = texts(result);
  assert.match(cut, /^\{\n {2}"entities": \[[\s\S]*characters left out[\s\S]*"relations": \[\]\n\}$/);
  const [, path = ""] = /^\[The whole answer is kept in (\/var\/tmp\/output\/\w+\.txt)\.\]$/.exec(note) ?? [];
  const digest = createHash("sha256").update(mask(whole)).digest("hex");
  assert.equal(await box.sh(`sha256sum <${path}`), `${digest}  -\n`);
  assert.equal(await box.sh(`grep -c '\\[redacted\\]' ${path}; grep -c ${SECRET} ${path} || true`), "1\n0\n");
  const { text: part } = await box.use(read, { file_path: path, offset: 2, limit: 3 });
  assert.match(part, /"entities": \[/);
});

test("result of 30 MB, and one of 20,000 blocks: as much in the log as of others", async () => {
  const line = "a line of text that a server sent\n";
  const huge = await callOf({ content: [text(line.repeat(900_000))] });
  assert.ok(sizeInLog(huge) < 130_000, `${sizeInLog(huge)}`);
  const [, path = ""] = /kept in (\S+)\.\]/.exec(texts(huge)[1] ?? "") ?? [];
  assert.equal(Number(await box.sh(`wc -c <${path}`)), 900_000 * line.length);
  const many = await callOf({ content: Array.from({ length: 20_000 }, (_, at) => text(`block ${at}`)) });
  assert.ok(sizeInLog(many) < 130_000 && many.content.length === 2, `${many.content.length} blocks`);
  const structured = await callOf({
    content: [text("ok")],
    structuredContent: { list: [line.repeat(10_000)] },
  });
  assert.match(texts(structured).join(), /^ok\n\{"list"[\s\S]*kept in \/var/);
});

test("agent without tools that read files: a long result is cut, and no sandbox is asked for", async () => {
  const result = await callOf({ content: [text("y".repeat(500_000))] }, false);
  assert.deepEqual([texts(result).length, sizeInLog(result) < 101_000], [1, true]);
});

test("images: at most eight, while every text stays; what is not shown is kept in files", async () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const image = { type: "image", data: png, mimeType: "image/png" };
  const pairs = Array.from({ length: 10 }, (_, at) => [text(`text ${at}`), image]).flat();
  const result = await callOf({ content: [...pairs, text("the end")] });
  const kinds = texts(result);
  assert.equal(kinds.filter((kind) => kind === "image").length, 8);
  for (let at = 0; at < 10; at++) assert.ok(kinds.includes(`text ${at}`));
  assert.equal(kinds.at(-1), "the end");
  const [, path = ""] =
    /^\[image, 70 bytes: is not shown here, kept in (\S+\.png)\.\]$/.exec(kinds.at(-2) ?? "") ?? [];
  assert.equal(await box.sh(`base64 -w0 ${path}`), png);

  const large = Buffer.concat([Buffer.from(png, "base64"), Buffer.alloc(3_000_000)]).toString("base64");
  const two = await callOf({ content: [1, 2].map(() => ({ ...image, data: large })) });
  assert.deepEqual(
    texts(two).map((kind) => kind.slice(0, 8)),
    ["image", "[image, "],
  );
  const blob = {
    uri: "file:///a",
    mimeType: "application/pdf",
    blob: Buffer.from("%PDF-1 x").toString("base64"),
  };
  const sound = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
  const others = texts(await callOf({ content: [sound, { type: "resource", resource: blob }] }));
  assert.match(
    String(others[0]),
    /^\[Audio of type audio\/wav, 3 bytes: cannot be shown, kept in \S+\.bin\.\]$/,
  );
  assert.match(String(others[1]), /^\[Resource file:\/\/\/a of type application\/pdf, 8 bytes/);
  const sounds = texts(await callOf({ content: Array.from({ length: 40 }, () => sound) }));
  assert.deepEqual([sounds.length, sounds.at(-1)], [17, "[24 more images and files are left out.]"]);
});
