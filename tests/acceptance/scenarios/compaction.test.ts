import assert from "node:assert/strict";
import { startBerth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn } from "../harness/fixtures.ts";

const MODEL = "rehearsal/steps";
const { api } = await startBerth();

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
