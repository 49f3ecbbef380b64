import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { AnyJson } from "../harness/api.ts";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, waitForTurn } from "../harness/fixtures.ts";
import { startMessagesServer } from "../harness/messages-server.ts";
import { readEventsUntil } from "../harness/stream.ts";

const MODEL = "rehearsal/steps";
const CACHE_SECONDS = 20;
const directory = await mkdtemp(join(tmpdir(), "berth-models-"));
const models = await startMessagesServer(90_000);
const file = join(directory, "models.json");
const provider = { kind: "anthropic", base_url: models.baseUrl, cache_seconds: CACHE_SECONDS };
const providers = { cached: provider, hourly: { ...provider, hour_cache: true } };
const listed = ["cached/m", "hourly/claude-opus-5"].map((id) => ({ id, context_window: 200_000 }));
await writeFile(file, JSON.stringify({ providers, models: listed }));
const { api } = await startBerth({ settings: { BERTH_MODELS_FILE: file } });
after(async () => {
  await models.close();
  await rm(directory, { recursive: true });
});

covers(["compact-at"], "compact_at: a long turn is compacted there, and goes on with its work", async () => {
  const { id: environment_id } = await makeEnvironment(api);
  const rounds = Array.from({ length: 12 }, (_, index) =>
    bash(`echo ${index} >> done; head -c 3000 /dev/zero | tr '\\0' x`),
  );
  for (const compact_at of [4_000, 7_000]) {
    const agent = await makeAgent(api, { model: { id: MODEL, compact_at } });
    assert.equal(agent.model.compact_at, compact_at);
    const session = await api.ok("POST", "/sessions", { agent: agent.id, environment_id });
    const events = await runTurn(api, session.id, ...rounds, bash("wc -l < done"), { say: "ready" });
    assert.deepEqual(events.at(-1).stop_reason, { type: "end_turn" });
    const compacted = events.filter(({ type }) => type === "agent.context_compacted");
    assert.ok(compacted.length > 0);
    for (const { input_tokens_before: before, input_tokens_after: after } of compacted)
      assert.ok(before >= compact_at && before < compact_at * 1.5 && after < before, `${before} to ${after}`);
    const counted = events.findLast(({ type }) => type === "agent.tool_result");
    assert.match(counted.content[0].text, /^12\b/, "each step was done once");
  }
  const usual = await makeAgent(api);
  assert.ok(!("compact_at" in usual.model));
  const session = await api.ok("POST", "/sessions", { agent: usual.id, environment_id });
  const events = await runTurn(api, session.id, ...rounds);
  assert.ok(events.every(({ type }) => type !== "agent.context_compacted"));
});

covers(["compact-at"], "compact_at: its bounds, and a window that is smaller", async () => {
  const make = (model: object) => api.post("/agents", { name: "a", model: { id: MODEL, ...model } });
  for (const compact_at of [0, 999, 4_000.5, "4000", 10_000_001, -1]) {
    const { status, body } = await make({ compact_at });
    assert.deepEqual([status, body.error.param], [400, "model.compact_at"], `${compact_at}`);
  }
  for (const [compact_at, context_window] of [
    [5_000, 5_000],
    [9_000, 6_000],
    [200_000, undefined],
  ]) {
    const { status, body } = await make({ compact_at, context_window });
    assert.deepEqual([status, body.error.param], [400, "model.compact_at"]);
    assert.match(
      body.error.message,
      /must be less than the model's context window of \d+ tokens, but is \d+\.$/,
    );
  }
  const made = await makeAgent(api, { model: { id: MODEL, compact_at: 4_999, context_window: 5_000 } });
  assert.deepEqual(made.model, { id: MODEL, effective_context_window: 5_000, compact_at: 4_999 });
  const changed = await api.ok("POST", `/agents/${made.id}`, { version: 1, model: { id: MODEL } });
  assert.ok(!("compact_at" in changed.model));
});

async function say(session: AnyJson, text: string): Promise<AnyJson[]> {
  const content = [{ type: "text", text }];
  const { data } = await api.ok("POST", `/sessions/${session.id}/events`, {
    events: [{ type: "user.message", content }],
  });
  return await waitForTurn(api, session.id, data[0].id);
}

const isCompacted = ({ type }: AnyJson) => type === "agent.context_compacted";

covers(
  ["compact-when-idle"],
  "compact_when_idle: nobody answers until the provider's cache ends, and the history is summarised before; not where the agent does without",
  async () => {
    const { id: environment_id } = await makeEnvironment(api);
    const open = async (model: object) => {
      const agent = await makeAgent(api, { model: { id: "cached/m", ...model } });
      return await api.ok("POST", "/sessions", { agent: agent.id, environment_id });
    };
    const [session, without] = await Promise.all([open({}), open({ compact_when_idle: false })]);
    assert.equal(without.agent.model.compact_when_idle, false);
    assert.ok(!("compact_when_idle" in session.agent.model));
    await say(without, "the first task");
    const turn = await say(session, "the first task");
    const events = await readEventsUntil(api, session.id, isCompacted);
    const asked = turn.findLast(({ type }) => type === "span.model_request_start");
    const starts = events.filter(({ type }) => type === "span.model_request_start");
    const waited = Date.parse(starts.at(-1).created_at) - Date.parse(asked.created_at);
    assert.ok(waited >= CACHE_SECONDS * 800 - 100 && waited <= CACHE_SECONDS * 1_000, `after ${waited} ms`);
    assert.equal(starts.length, 2);
    const { status, usage } = await api.ok("GET", `/sessions/${session.id}`);
    assert.deepEqual([status, usage.cache_read_input_tokens], ["idle", 180_000]);
    await say(session, "the second task");
    assert.match(models.bodies.at(-1) ?? "", /A summary\..*the first task.*Fine\..*the second task/s);
    const others = await say(without, "the second task");
    assert.ok(!others.some(isCompacted));
    assert.match(models.bodies.at(-1) ?? "", /the first task.*Fine\..*the second task/s);
    assert.ok(!(models.bodies.at(-1) ?? "").includes("A summary."));
  },
);

covers(
  ["cache-ttl"],
  "cache_ttl: a request is kept for an hour where the agent says so, and what that costs is counted",
  async () => {
    const { id: environment_id } = await makeEnvironment(api);
    const talk = async (cache_ttl?: string) => {
      const model = { id: "hourly/claude-opus-5", ...(cache_ttl === undefined ? {} : { cache_ttl }) };
      const agent = await makeAgent(api, { model });
      const { id } = await api.ok("POST", "/sessions", { agent: agent.id, environment_id });
      await say({ id }, `for ${cache_ttl}`);
      const body = JSON.parse(models.bodies.findLast((one) => one.includes(`for ${cache_ttl}`)) ?? "{}");
      const markers = [body.tools.at(-1), body.system.at(-1), body.messages.at(-1).content.at(-1)];
      const session = await api.ok("GET", `/sessions/${id}`);
      return { agent, session, ttls: markers.map((marked) => marked.cache_control.ttl) };
    };
    const [hour, usual, short, automatic] = await Promise.all([talk("1h"), talk(), talk("5m"), talk("auto")]);
    assert.deepEqual(hour.ttls, ["1h", "1h", "1h"]);
    assert.equal(hour.agent.model.cache_ttl, "1h");
    assert.equal(hour.session.usage.cache_creation_1h_input_tokens, 500);
    for (const { agent, session, ttls } of [usual, short, automatic]) {
      assert.deepEqual(ttls, [undefined, undefined, undefined]);
      assert.equal(agent.model.cache_ttl, agent === short.agent ? "5m" : undefined);
      assert.ok(!("cache_creation_1h_input_tokens" in session.usage));
    }
    const dearer = hour.session.list_cost_usd - usual.session.list_cost_usd;
    assert.equal(dearer.toFixed(6), ((500 * 0.75 * 5) / 1_000_000).toFixed(6));
    const report = await api.ok("GET", "/usage?group_by=model");
    assert.equal(report.total.usage.cache_creation_1h_input_tokens, 500);
    const { version, id } = hour.agent;
    const changed = await api.ok("POST", `/agents/${id}`, { version, model: { id: "hourly/claude-opus-5" } });
    assert.ok(!("cache_ttl" in changed.model));
  },
);

covers(["cache-ttl"], "cache_ttl: an hour is refused where the provider cannot be told", async () => {
  for (const [id, cache_ttl, message] of [
    [MODEL, "1h", /provider of model 'rehearsal\/steps' has no cache/],
    ["cached/m", "1h", /provider of model 'cached\/m' has no cache/],
    ["hourly/claude-opus-5", "2h", /cache_ttl/],
    ["hourly/claude-opus-5", 3_600, /cache_ttl/],
  ] as const) {
    const { status, body } = await api.post("/agents", { name: "a", model: { id, cache_ttl } });
    assert.deepEqual([status, body.error.param], [400, "model.cache_ttl"]);
    assert.match(body.error.message, message);
  }
  for (const cache_ttl of ["5m", "auto", null])
    await makeAgent(api, { model: { id: "cached/m", cache_ttl } });
});
