#!/bin/sh
# @ai-sdk/openai 4.0.118: whether a model reasons is told by the first letters of its name.
#
# Behind a gateway, or as a deployment, the same model is called `openai/gpt-5` or `prod-gpt5`. The library then leaves out the
# effort that was asked for and the request for encrypted reasoning, without which the next request of a stateless client has lost
# the model's thinking. The only sign is a warning in the result. One would expect that options that the caller gives are sent.
#
# Seen:
#   gpt-5: effort high, include reasoning.encrypted_content
#   openai/gpt-5: effort none, include none
#   prod-gpt5: effort none, include none
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --prefix . @ai-sdk/openai@4.0.118 >/dev/null
cat > seen.mjs <<'JS'
import { createServer } from "node:http";
import { once } from "node:events";
import { createOpenAI } from "@ai-sdk/openai";

let sent;
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  sent = JSON.parse(body);
  response.setHeader("content-type", "application/json");
  const content = [{ type: "output_text", text: "4", annotations: [] }];
  const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
  response.end(JSON.stringify({ id: "r", object: "response", created_at: 1, model: sent.model, status: "completed", output, usage: { input_tokens: 1, output_tokens: 1 } }));
}).listen(0, "127.0.0.1");
await once(server, "listening");
const provider = createOpenAI({ baseURL: `http://127.0.0.1:${server.address().port}/v1`, apiKey: "unused" });
for (const name of ["gpt-5", "openai/gpt-5", "prod-gpt5"]) {
  const prompt = [{ role: "user", content: [{ type: "text", text: "2 + 2?" }] }];
  await provider.responses(name).doGenerate({ prompt, reasoning: "high", providerOptions: { openai: { store: false } } });
  console.log(`${name}: effort ${sent.reasoning?.effort ?? "none"}, include ${sent.include?.join(" ") ?? "none"}`);
}
server.close();
JS
node seen.mjs | tee seen.txt
cmp - seen.txt <<'SEEN'
gpt-5: effort high, include reasoning.encrypted_content
openai/gpt-5: effort none, include none
prod-gpt5: effort none, include none
SEEN
