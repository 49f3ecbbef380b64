#!/bin/sh
# @modelcontextprotocol/server-memory 2026.8.31: a result of `read_graph` has the whole graph twice, in one message without an end.
#
# The tool has no page and no limit, and the protocol has none for results of tools. The server declares an output schema, so the answer
# has the graph as `structuredContent` and once more as text, indented. With 2,701 small entities that is more than a megabyte; a client
# that bounds a message loses the connection, and one that shows a model both parts pays twice.
#
# Seen:
#   entities: 2701
#   text alone is the structured content again: true
#   the message is more than twice the graph: true
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix . @modelcontextprotocol/server-memory@2026.8.31 >/dev/null
cat > seen.mjs <<'JS'
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const env = { ...process.env, MEMORY_FILE_PATH: `${process.cwd()}/memory.jsonl` };
const server = spawn("node_modules/.bin/mcp-server-memory", [], { env, stdio: ["pipe", "pipe", "ignore"] });
const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.({ ...message, size: line.length });
});
let id = 0;
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve) => {
    waiting.set(++id, resolve);
    send({ id, method, params });
  });
await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "seen", version: "1" } });
send({ method: "notifications/initialized" });
const entities = Array.from({ length: 2701 }, (_, n) => ({ name: `service ${n}`, entityType: "service", observations: [`It listens on port ${n}.`, "It is written in Go."] }));
await ask("tools/call", { name: "create_entities", arguments: { entities } });
const { result, size } = await ask("tools/call", { name: "read_graph", arguments: {} });
server.kill();
const graph = JSON.stringify(result.structuredContent);
console.log(`entities: ${result.structuredContent.entities.length}`);
console.log(`text alone is the structured content again: ${JSON.stringify(JSON.parse(result.content[0].text)) === graph}`);
console.log(`the message is more than twice the graph: ${size > 2 * graph.length}`);
JS
node seen.mjs | tee seen.txt
printf 'entities: 2701\ntext alone is the structured content again: true\nthe message is more than twice the graph: true\n' | cmp - seen.txt
