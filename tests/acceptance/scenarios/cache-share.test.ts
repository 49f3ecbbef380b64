// Tests the cache figures that users and operators see: a scripted server of Anthropic's Messages API reports
// reads and writes.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { AnyJson } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, waitForTurn } from "../harness/fixtures.ts";
import { waitUntil } from "../harness/wait-until.ts";

/**
 * Tokens that each request reads from the cache and writes to it. The third one finds nothing in the cache.
 */
const CACHE = [
  { read: 0, written: 10_000 },
  { read: 10_000, written: 500 },
  { read: 0, written: 10_900 },
  { read: 10_900, written: 200 },
];
const UNCACHED = 4;
const OUTPUT = 50;

let requests = 0;
const server = createServer((request, response) => {
  request.resume().once("end", () => answer(response, requests++));
});
await once(server.listen(0, "127.0.0.1"), "listening");
const folder = await mkdtemp(join(tmpdir(), "berth-cache-"));
const modelsFile = join(folder, "models.json");
const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const model = { id: "scripted/m", upstream_model: "claude-sonnet-4-5", context_window: 200_000 };
const providers = { scripted: { kind: "anthropic", base_url } };
await writeFile(modelsFile, JSON.stringify({ providers, models: [model] }));
const { berth, api } = await startBerth({ settings: { BERTH_MODELS_FILE: modelsFile } });
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** Responds with a tool call; to the last request with a text. */
function answer(response: ServerResponse, index: number): void {
  const { read, written } = CACHE[index] ?? { read: 0, written: 0 };
  const isLast = index === CACHE.length - 1;
  const cached = { cache_read_input_tokens: read, cache_creation_input_tokens: written };
  const head = { id: `msg_${index}`, type: "message", role: "assistant", model: "m", content: [] };
  const usage = { input_tokens: UNCACHED, output_tokens: 1, ...cached };
  const block = isLast
    ? { type: "text", text: "" }
    : { type: "tool_use", id: `toolu_${index}`, name: "Bash", input: {} };
  const input = JSON.stringify({ command: `echo ${index}` });
  const delta = isLast
    ? { type: "text_delta", text: "done" }
    : { type: "input_json_delta", partial_json: input };
  const events: AnyJson[] = [
    { type: "message_start", message: { ...head, stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: isLast ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: OUTPUT },
    },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

covers(
  ["session-cache-share", "prefix-log-line"],
  "cache of a provider: the session and the report have its share and what the tokens cost; the log says once that it served nothing",
  async () => {
    const agent = await makeAgent(api, { model: "scripted/m" });
    const environment_id = (await makeEnvironment(api)).id;
    const { id } = await api.ok("POST", "/sessions", { agent: agent.id, environment_id });
    const event = { type: "user.message", content: [{ type: "text", text: "Go." }] };
    const { data } = await api.ok("POST", `/sessions/${id}/events`, { events: [event] });
    await waitForTurn(api, id, data[0].id);
    const session = await api.ok("GET", `/sessions/${id}`);
    const [read, written] = [20_900, 21_600];
    assert.deepEqual(session.usage, {
      input_tokens: 4 * UNCACHED,
      output_tokens: 4 * OUTPUT,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      list_cost: { amount: "10", currency: "USD" },
    });
    assert.equal(session.cached_input_share, Number((read / (read + written + 16)).toFixed(4)));
    const cost = (16 * 3 + read * 0.3 + written * 3.75 + 200 * 15) / 1_000_000;
    assert.ok(Math.abs(session.list_cost_usd - cost) <= 1e-6, `${session.list_cost_usd}, not ${cost}`);
    const { total } = await api.ok("GET", "/usage?group_by=model");
    assert.deepEqual(
      [total.cached_input_share, total.list_cost_usd],
      [session.cached_input_share, session.list_cost_usd],
    );

    await waitUntil(
      () => berth.log.includes('"turn ended"'),
      () => "the turn has no line",
    );
    const lines = berth.log.split("\n").filter((line) => line.includes("of a model request"));
    const [line, ...others] = lines.map((one) => JSON.parse(one));
    assert.deepEqual(others, []);
    assert.equal(line.msg, "the provider's cache did not serve the prefix of a model request");
    assert.deepEqual([line.session, line.cached_tokens, line.cache_read_input_tokens], [id, 10_500, 0]);
  },
);
