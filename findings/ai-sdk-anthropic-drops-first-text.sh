#!/bin/sh
# @ai-sdk/anthropic 4.0.105: text that stands in `content_block_start` of a stream is dropped.
#
# The Messages API's stream begins a text block with a text, usually the empty one, and goes on with deltas. Compatible servers put the
# first words there. The library takes deltas alone, so the answer lacks its beginning, and nothing tells. One would expect the text of
# the block's start to be the beginning of its text.
#
# Seen:
#   sent: Hello, world
#   read: , world
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix . @ai-sdk/anthropic@4.0.105 >/dev/null
cat > seen.mjs <<'JS'
import { createServer } from "node:http";
import { once } from "node:events";
import { createAnthropic } from "@ai-sdk/anthropic";

const usage = { input_tokens: 1, output_tokens: 1 };
const events = [
  { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hello" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: ", world" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "text/event-stream");
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const provider = createAnthropic({ baseURL: `http://127.0.0.1:${server.address().port}/v1`, apiKey: "unused" });
const { stream } = await provider("m").doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] });
let read = "";
for await (const part of stream) if (part.type === "text-delta") read += part.delta;
server.close();
console.log("sent: Hello, world");
console.log(`read: ${read}`);
JS
node seen.mjs | tee seen.txt
printf 'sent: Hello, world\nread: , world\n' | cmp - seen.txt
