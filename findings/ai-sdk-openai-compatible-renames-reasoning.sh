#!/bin/sh
# @ai-sdk/openai-compatible 3.0.92: thinking that a server sends as `reasoning` is sent back as `reasoning_content`.
#
# Ollama, vLLM (since 0.12) and OpenRouter name the field `reasoning`, in both directions; DeepSeek and others name it
# `reasoning_content`. The library reads either, and forgets which it was: the next request has `reasoning_content`, which the first
# three ignore. One would expect that what a server sent goes back under the name that the server knows.
#
# Seen:
#   received as: reasoning
#   sent back as: reasoning_content
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix . @ai-sdk/openai-compatible@3.0.92 >/dev/null
cat > seen.mjs <<'JS'
import { createServer } from "node:http";
import { once } from "node:events";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const requests = [];
const message = { role: "assistant", content: "4", reasoning: "two and two" };
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  requests.push(JSON.parse(body));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ id: "1", created: 1, model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const model = createOpenAICompatible({ name: "local", baseURL: `http://127.0.0.1:${server.address().port}/v1` })("m");
const user = (text) => ({ role: "user", content: [{ type: "text", text }] });
const first = await model.doGenerate({ prompt: [user("2 + 2?")] });
const assistant = { role: "assistant", content: first.content.map(({ type, text }) => ({ type, text })) };
await model.doGenerate({ prompt: [user("2 + 2?"), assistant, user("Sure?")] });
server.close();
const field = (sent) => Object.keys(sent).filter((name) => name.startsWith("reasoning")).join(", ");
console.log(`received as: ${field(message)}`);
console.log(`sent back as: ${field(requests[1].messages[1])}`);
JS
node seen.mjs | tee seen.txt
printf 'received as: reasoning\nsent back as: reasoning_content\n' | cmp - seen.txt
