#!/bin/sh
# @ai-sdk/anthropic 4.0.105: `maxOutputTokens` is not the `max_tokens` that is sent, once a model thinks.
#
# The Messages API counts thinking as output: `max_tokens` bounds both. The library takes the caller's limit for the visible part and
# adds the thinking budget, also when the budget follows from an effort and nobody named it. A model server whose limit is what was
# given refuses the request. One would expect a limit that is given to be the largest that is sent.
#
# Seen:
#   no thinking: max_tokens 8000
#   budget of 4000: max_tokens 12000
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix . @ai-sdk/anthropic@4.0.105 >/dev/null
cat > seen.mjs <<'JS'
import { createServer } from "node:http";
import { once } from "node:events";
import { createAnthropic } from "@ai-sdk/anthropic";

let sent;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  sent = JSON.parse(body);
  response.setHeader("content-type", "application/json");
  const content = [{ type: "text", text: "4" }];
  response.end(JSON.stringify({ id: "msg_1", type: "message", role: "assistant", model: sent.model, content, stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const provider = createAnthropic({ baseURL: `http://127.0.0.1:${server.address().port}/v1`, apiKey: "unused" });
const prompt = [{ role: "user", content: [{ type: "text", text: "2 + 2?" }] }];
const ask = (thinking) =>
  provider("a-model-of-a-gateway").doGenerate({ prompt, maxOutputTokens: 8000, providerOptions: { anthropic: { thinking } } });
await ask({ type: "disabled" });
console.log(`no thinking: max_tokens ${sent.max_tokens}`);
await ask({ type: "enabled", budgetTokens: 4000 });
console.log(`budget of 4000: max_tokens ${sent.max_tokens}`);
server.close();
JS
node seen.mjs | tee seen.txt
printf 'no thinking: max_tokens 8000\nbudget of 4000: max_tokens 12000\n' | cmp - seen.txt
