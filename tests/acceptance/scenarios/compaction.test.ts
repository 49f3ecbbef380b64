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
const listed = [{ id: "cached/m", context_window: 200_000 }];
await writeFile(file, JSON.stringify({ providers: { cached: provider }, models: listed }));
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
      /must be less than the model's context window of \d+ tokens, and is \d+\.$/,
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
