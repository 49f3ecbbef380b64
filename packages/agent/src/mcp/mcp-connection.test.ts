import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createGuardedFetch } from "@berth/egress";
import { type BearerProxy, startBearerProxy, startEverything } from "../../../../tests/mcp-host/mcp-host.ts";
import type { ToolContext, ToolResult } from "../tools/tool.ts";
import { McpConnection, type McpConnectionOptions } from "./mcp-connection.ts";
import { mcpDefinitions } from "./mcp-definitions.ts";
import { mcpFailure } from "./mcp-failure.ts";
import { mcpTool } from "./mcp-tool.ts";

const fetch = createGuardedFetch({ allowPrivate: ["127.0.0.1"] });
const kept = { keepsFiles: false, mask: (given: string) => given };
const never = new AbortController().signal;

interface Setup {
  proxy: BearerProxy;
  connection: McpConnection;
  call(tool: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
}

async function setUp(t: TestContext, options: Partial<McpConnectionOptions> = {}): Promise<Setup> {
  const { port, stop } = await startEverything();
  t.after(stop);
  const proxy = await startBearerProxy(port, "token-of-the-vault");
  t.after(proxy.stop);
  const connection = new McpConnection({
    url: proxy.url,
    token: async () => "token-of-the-vault",
    fetch,
    ...options,
  });
  t.after(() => connection.close());
  return { proxy, connection, call: caller(connection) };
}

function caller(connection: McpConnection): Setup["call"] {
  const absent = () => Promise.reject(new Error("An MCP tool needs no sandbox."));
  return (name, input = {}, signal = never) => {
    const definition = { name: `mcp__all__${name}`, tool: name, description: "", inputSchema: {} };
    const tool = mcpTool({ server: "all", definition, permission: "always_allow", connection, ...kept });
    const context: ToolContext = { sandbox: absent, environment: absent, signal };
    return tool.run(input, context);
  };
}

const text = ({ content }: ToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");

test("MCP server: its tools as the model sees them, and calls of them", async (t) => {
  const { connection, call, proxy } = await setUp(t);
  assert.equal(connection.isOpen(), false);
  const { tools: definitions } = mcpDefinitions("all", await connection.listTools(never));
  const echo = definitions.find(({ tool }) => tool === "echo");
  assert.equal(echo?.name, "mcp__all__echo");
  assert.equal(echo?.inputSchema.type, "object");
  assert.ok(!("$schema" in (echo?.inputSchema ?? {})));
  assert.ok(!definitions.some(({ tool }) => tool === "simulate-research-query"), "needs a task");
  assert.ok(connection.isOpen());

  assert.deepEqual(await call("echo", { message: "hello" }), {
    content: [{ type: "text", text: "Echo: hello" }],
    isError: false,
  });
  const image = await call("get-tiny-image");
  const [, picture] = image.content;
  assert.ok(picture?.type === "image" && picture.source.media_type === "image/png");
  const embedded = await call("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  assert.match(text(embedded), /\[Resource demo:\/\/\S+\]\nResource 1: This is a plaintext resource/);
  assert.match(text(await call("get-resource-links", { count: 1 })), /\[Resource demo:/);
  const wrong = await call("get-sum", { a: "x" });
  assert.equal(wrong.isError, true);
  assert.match(text(wrong), /expected number/);
  assert.equal((await call("no-such-tool")).isError, true);

  await connection.close();
  assert.equal(connection.isOpen(), false);
  assert.ok(proxy.completed.includes("DELETE 200"), "the session is ended at the server");
  assert.match(text(await call("echo", { message: "again" })), /again/);
});

test("MCP token: read at each request, so that a new one is used at once", async (t) => {
  let token = "token-of-the-vault";
  const { call, proxy } = await setUp(t, { token: async () => token });
  assert.equal((await call("echo", { message: "1" })).isError, false);
  proxy.token = "token-that-is-new";
  const refused = await call("echo", { message: "2" });
  assert.equal(refused.isError, true);
  assert.match(text(refused), /rejected the session.s credential/);
  assert.ok(!text(refused).includes("token-of"), "no text of the server is included");
  token = "token-that-is-new";
  assert.match(text(await call("echo", { message: "3" })), /Echo: 3/);
});

test("MCP failure: has a type and a reason, without addresses, and with a server's text only where no credential was sent", async (t) => {
  const answers: Record<string, number> = {
    "/403": 403,
    "/page": 403,
    "/500": 500,
    "/302": 302,
    "/200": 200,
  };
  const server = createServer((request, answer) => {
    const status = answers[request.url ?? ""];
    if (status === undefined) return;
    answer
      .writeHead(status, { location: "http://127.0.0.1/", "content-type": "text/plain" })
      .end(request.url === "/page" ? "<html>secret words</html>" : "secret words\n".repeat(50));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const failureOf = async (url: string, options: Partial<McpConnectionOptions> = {}) => {
    const connection = new McpConnection({ url, token: async () => null, fetch, ...options });
    try {
      await connection.listTools(never);
    } catch (error) {
      return mcpFailure(error, connection.sentCredential);
    } finally {
      await connection.close();
    }
    throw new Error(`${url} was usable.`);
  };
  const AUTHENTICATION = "mcp_authentication_failed_error";
  const connect = "mcp_connection_failed_error";
  const base = `http://127.0.0.1:${port}`;
  const { proxy } = await setUp(t);
  const cases: [Awaited<ReturnType<typeof failureOf>>, string, RegExp][] = [
    [await failureOf(proxy.url), AUTHENTICATION, /asks for a credential, and no vault .*HTTP 401/],
    [
      await failureOf(proxy.url, { token: async () => "t" }),
      AUTHENTICATION,
      /rejected the session.s credential .*401/,
    ],
    [
      await failureOf(`${base}/403`, { token: async () => "t" }),
      AUTHENTICATION,
      /rejected the session.s credential .*403/,
    ],
    [await failureOf(`${base}/page`), AUTHENTICATION, /denied access, and no vault .*403/],
    [await failureOf(`${base}/500`), connect, /HTTP 500/],
    [await failureOf(`${base}/302`), connect, /redirects/],
    [await failureOf(`${base}/200`), connect, /not valid MCP/],
    [await failureOf(`${base}/silent`, { connectMs: 300 }), connect, /in time/],
    [await failureOf("http://127.0.0.1:1/"), connect, /connection to it failed/],
    [await failureOf("http://10.0.0.1/"), connect, /is not allowed/],
    [await failureOf("https://no.such.invalid/"), connect, /does not resolve/],
    [await failureOf(`https://127.0.0.1:${port}/`), connect, /TLS|failed/],
  ];
  for (const [{ type, reason }, expected, words] of cases) {
    assert.equal(type, expected, reason);
    assert.match(reason, words);
    assert.ok(!/127\.0\.0\.1|10\.0\.0\.1|secret/.test(reason), reason);
  }
  const { reason } = await failureOf(`${base}/403`);
  assert.match(reason, /^it denied access with "(secret words )+.{0,12}…", and no vault .* \(HTTP 403\)$/);
  assert.ok(reason.length < 260);
});

test("MCP call: an abort ends it at once, and the connection stays open", async (t) => {
  const { call, proxy } = await setUp(t);
  const stop = new AbortController();
  const slow = call("trigger-long-running-operation", { duration: 60, steps: 60 }, stop.signal);
  await proxy.until(() => proxy.received.includes("POST tools/call"));
  const reason = new DOMException("interrupted", "AbortError");
  stop.abort(reason);
  await assert.rejects(slow, (error) => error === reason);
  assert.match(text(await call("echo", { message: "on" })), /on/);
});

test("MCP call: progress keeps it alive; silence ends it", async (t) => {
  const { call } = await setUp(t, { silenceMs: 1_800 });
  const steady = await call("trigger-long-running-operation", { duration: 3, steps: 30 });
  assert.match(text(steady), /completed/);
  const silent = await call("trigger-long-running-operation", { duration: 30, steps: 1 });
  assert.equal(silent.isError, true);
  assert.match(text(silent), /did not respond in time.*unknown/);
});

test("MCP result: too long → truncated; far too long → an error", async (t) => {
  const { call } = await setUp(t);
  const long = await call("echo", { message: `begin ${"x".repeat(300_000)} end` });
  assert.ok(text(long).length <= 100_000);
  assert.match(text(long), /^Echo: begin .*characters left out.* end$/s);
  const { call: short } = await setUp(t, { maxResponseBytes: 100_000 });
  const broken = await short("echo", { message: "x".repeat(120_000) });
  assert.deepEqual([broken.isError, /response is too large/.test(text(broken))], [true, true], text(broken));
  assert.match(text(await short("echo", { message: "on" })), /on/);
});

test("MCP connection: a restarted server is connected to again", async (t) => {
  const first = await startEverything();
  t.after(first.stop);
  const connection = new McpConnection({
    url: `http://127.0.0.1:${first.port}/mcp`,
    token: async () => null,
    fetch,
  });
  t.after(() => connection.close());
  const call = caller(connection);
  assert.match(text(await call("echo", { message: "one" })), /one/);
  await first.stop();
  const down = await call("echo", { message: "two" });
  assert.match(text(down), /connection to it failed/);
  const second = await startEverything(first.port);
  t.after(second.stop);
  assert.match(text(await call("echo", { message: "three" })), /three/);
});
