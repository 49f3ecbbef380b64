// Tests what a session reports of its tokens, and of the savings by compactions.
import assert from "node:assert/strict";
import { killRunners } from "../../crash/processes.ts";
import type { AnyJson } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeAgent, makeEnvironment, runTurn, steps } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";
import { readEventsUntil } from "../harness/stream.ts";

const { berth, api } = await sharedService();

/** Creates a session of a model with a window that three results fill. */
async function makeSmallSession(): Promise<AnyJson> {
  const model = { id: "rehearsal/steps", context_window: 6_000 };
  const agent = await makeAgent(api, { model });
  const environment = await makeEnvironment(api);
  return await api.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id });
}

const NO_USAGE: AnyJson = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** Returns the compaction figures that follow from the log. */
function expectedOf(events: readonly AnyJson[]): AnyJson {
  const expected = { count: 0, avoided_input_tokens: 0, rewritten_input_tokens: 0, summary_usage: NO_USAGE };
  let removed = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === "agent.context_compacted") {
      removed = event.input_tokens_before - event.input_tokens_after;
      expected.count += 1;
      expected.rewritten_input_tokens += event.input_tokens_after;
      const { model_usage: used } = events[index - 1] ?? {};
      const sum = Object.entries<number>(used).map(([kind, n]) => [kind, n + expected.summary_usage[kind]]);
      expected.summary_usage = Object.fromEntries(sum);
    } else if (event.type === "span.model_request_end" && !event.is_error)
      if (events[index + 1]?.type !== "agent.context_compacted") expected.avoided_input_tokens += removed;
  }
  return expected;
}

/** Asserts that the session's figures equal those of its events. Returns the session. */
async function check(id: string, events: readonly AnyJson[]): Promise<AnyJson> {
  const session = await api.ok("GET", `/sessions/${id}`);
  const { saved_input_tokens, saved_list_cost_usd, ...counted } = session.compaction;
  assert.deepEqual(counted, expectedOf(events));
  assert.deepEqual([saved_input_tokens, saved_list_cost_usd], [null, 0], "the model costs nothing");
  assert.deepEqual([session.cached_input_share, session.list_cost_usd], [0, 0]);
  return session;
}

const PRINTS = bash("seq 1 1200");

covers(
  ["session-compaction-savings", "session-cache-share", "prefix-log-line"],
  "session: each request after a compaction counts once for what it did not read, also when the runner is killed",
  async () => {
    const { id, compaction, cached_input_share: share } = await makeSmallSession();
    assert.deepEqual([compaction.count, compaction.avoided_input_tokens, share], [0, 0, null]);
    const list = Array.from({ length: 8 }, () => PRINTS);
    const first = await runTurn(api, id, ...list, { say: "done" });
    const session = await check(id, first);
    assert.ok(session.compaction.count >= 2, JSON.stringify(session.compaction));
    assert.ok(session.compaction.avoided_input_tokens > 0);

    await api.ok("POST", `/sessions/${id}/events`, {
      events: [steps(PRINTS, bash("sleep 60"), { say: "end" })],
    });
    const isSleep = ({ type, input }: AnyJson) =>
      type === "agent.tool_use" && input.command.includes("sleep");
    await readEventsUntil(api, id, isSleep);
    killRunners(berth);
    let idles = 0;
    const all = await readEventsUntil(api, id, ({ type }) => type === "session.status_idle" && ++idles === 2);
    const after = await check(id, all);
    assert.ok(after.compaction.avoided_input_tokens > session.compaction.avoided_input_tokens);
    const [listed] = (await api.ok("GET", "/sessions?limit=1")).data;
    assert.deepEqual(listed.compaction, after.compaction);
    const ofPrefix = berth.log.split("\n").filter((line) => line.includes("prefix of a model request"));
    assert.ok(!ofPrefix.some((line) => line.includes(id)), "neither a compaction nor a kill is a change");
    const { total, data } = await api.ok("GET", "/usage");
    assert.deepEqual([total.cached_input_share, data.at(-1).cached_input_share], [0, 0]);
  },
);

covers(["session-cache-share"], "usage: without input there is no share", async () => {
  const { total } = await api.ok("GET", "/usage?from=2020-01-01&to=2020-01-01");
  assert.equal(total.cached_input_share, null);
});
