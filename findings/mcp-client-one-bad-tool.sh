#!/bin/sh
# @modelcontextprotocol/client 2.4.0: one tool whose schema is no object makes all tools of its page unreachable.
#
# The client validates a response as a whole. A server that lists a sound tool beside one with `inputSchema: {"type": "string"}` has no
# tools then, and the error names a place in the list and not the tool. One would expect the sound ones, and a word about the other. A
# client that wants that has to read `tools/list` with a schema of its own.
#
# Seen:
#   sound alone: 1 tool
#   with the other: rejected
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix . @modelcontextprotocol/client@2.4.0 >/dev/null
cat > seen.mjs <<'JS'
import { createServer } from "node:http";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const sound = { name: "add", inputSchema: { type: "object", properties: {} } };
const other = { name: "echo", inputSchema: { type: "string" } };
let tools = [sound];
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (request.method !== "POST") return response.writeHead(405).end();
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return response.writeHead(202).end();
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
    "tools/list": { tools },
  };
  const result = results[method];
  const answer = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const client = new Client({ name: "seen", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.address().port}/mcp`)));
console.log(`sound alone: ${(await client.listTools()).tools.length} tool`);
tools = [sound, other];
console.log(`with the other: ${await client.listTools().then(({ tools: all }) => `${all.length} tools`, () => "rejected")}`);
await client.close();
server.close();
JS
node seen.mjs | tee seen.txt
printf 'sound alone: 1 tool\nwith the other: rejected\n' | cmp - seen.txt
