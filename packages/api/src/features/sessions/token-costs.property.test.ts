// Subject: the compaction counts in a session's row, and the API's figures from them, for random logs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseLost } from "@berth/agent";
import { type ModelUsage, type NewEvent, newUuid, type Session } from "@berth/contract";
import { appendByRun, appendTakingInputs } from "@berth/runs/test-support/internals/lease";
import type { Queryable } from "@berth/store/db";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import fc from "fast-check";
import { sessionJson } from "./session-row.ts";
import { getSession } from "./session-store.ts";

/** US dollars per token, by kind. */
const PRICES = {
  input_tokens: 4e-6,
  output_tokens: 16e-6,
  cache_read_input_tokens: 1e-6,
  cache_creation_input_tokens: 5e-6,
};
const KINDS = Object.keys(PRICES) as (keyof typeof PRICES)[];
/** Model of Explore calls, at half the price. */
const CHEAP = "priced/cheap";
const PRICED = {
  totalCost: (model: string, usage: ModelUsage) =>
    KINDS.reduce((sum, kind) => sum + usage[kind] * PRICES[kind], 0) * (model === CHEAP ? 0.5 : 1),
};

const tokens = fc.oneof(fc.constant(0), fc.nat(200_000));
const usage = fc.record({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constantFrom("answer", "answer and take"), usage }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("compact" as const), usage, before: tokens, after: tokens }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("explore" as const), usage, before: tokens }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("fail" as const), usage: fc.option(usage) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("takeover" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

test("random logs: the share is from 0 to 1, sums are those of the requests, and each answer counts for one compaction once", async (t) => {
  const db = await testDatabase(t);
  const seeded = await seed(db.write);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const id = await seedSession(db.write, seeded);
      await exploresWith(db.write, id, CHEAP);
      await play(db.write, id, steps);
      const session = await sessionOf(db.read, id);
      const input = session.usage.input_tokens + session.usage.cache_creation_input_tokens;
      const read = session.usage.cache_read_input_tokens;
      const share = session.cached_input_share;
      if (input + read === 0) assert.equal(share, null);
      else
        assert.ok(
          share !== null && share >= 0 && share <= 1 && Math.abs(share - read / (input + read)) < 1e-4,
        );
      const { list_cost: _, ...used } = session.usage;
      assert.deepEqual(used, sumOf(steps.map((one) => ("usage" in one ? one.usage : null))));
      const explored = sumOf(steps.map((one) => (one.does === "explore" ? one.usage : null)));
      const cost = PRICED.totalCost("", session.usage) - PRICED.totalCost(CHEAP, explored);
      assert.ok(
        Math.abs((session.list_cost_usd ?? -1) - cost) <= 1e-6,
        `${session.list_cost_usd} for ${cost}`,
      );
      const { saved_input_tokens: tokens, saved_list_cost_usd: dollars, ...counted } = session.compaction;
      const expected = countedOf(steps);
      assert.deepEqual(counted, expected);
      const { avoided_input_tokens: avoided, rewritten_input_tokens: rewritten, summary_usage } = expected;
      const saved = avoided * 1e-6 - rewritten * 4e-6 - PRICED.totalCost("", summary_usage);
      assert.ok(dollars !== null && Math.abs(dollars - saved) <= 1e-6, `${dollars} for ${saved}`);
      assert.ok(tokens !== null && Math.abs(tokens - saved / 4e-6) <= 1);
    }),
    { numRuns: 40 },
  );
});

/** Appends the steps. A lease that was taken over tries to append once more, which must not count. */
async function play(db: Queryable, id: string, steps: readonly Step[]): Promise<void> {
  let lease = await seedLease(db, id, "runner 0");
  for (const [index, one] of steps.entries()) {
    if (one.does !== "takeover") {
      const append = one.does === "answer and take" ? appendTakingInputs : appendByRun;
      await append(db, lease, draftsOf(one));
      continue;
    }
    const lost = lease;
    lease = await seedLease(db, id, `runner ${index + 1}`);
    await assert.rejects(appendByRun(db, lost, draftsOf(ANSWER)), LeaseLost);
  }
}

const ANSWER = {
  does: "answer" as const,
  usage: { input_tokens: 7, output_tokens: 7, cache_read_input_tokens: 7, cache_creation_input_tokens: 7 },
};

function draftsOf(one: Exclude<Step, { does: "takeover" }>) {
  const end = {
    event: {
      type: "span.model_request_end" as const,
      model_request_start_id: `event_${newUuid()}`,
      is_error: one.does === "fail",
      model_usage: one.usage,
    },
  };
  if (one.does === "explore") return loopOf(end.event, one.before);
  if (one.does !== "compact") return [end];
  const { before, after } = one;
  const type = "agent.context_compacted" as const;
  return [end, { event: { type, input_tokens_before: before, input_tokens_after: after } }];
}

/** Returns the drafts of an Explore call, whose loop also writes a summary. */
function loopOf(end: Extract<NewEvent, { type: "span.model_request_end" }>, before: number) {
  const parent_tool_use_id = `event_${newUuid()}`;
  const type = "agent.context_compacted" as const;
  const compaction = { type, input_tokens_before: before, input_tokens_after: 0, parent_tool_use_id };
  return [{ event: { ...end, parent_tool_use_id } }, { event: compaction }];
}

/** Gives the session's agent Explore with this model. */
async function exploresWith(db: Queryable, id: string, model: string): Promise<void> {
  const tools = [{ type: "agent_toolset_20260401", configs: [{ name: "Explore", model }] }];
  await db.query({
    text: "update sessions set agent = jsonb_set(agent::jsonb, '{tools}', $2::jsonb)::json where id = $1",
    values: [id, JSON.stringify(tools)],
  });
}

function countedOf(steps: readonly Step[]) {
  let removed = 0;
  let avoided_input_tokens = 0;
  for (const one of steps) {
    if (one.does === "compact") removed = Math.max(0, one.before - one.after);
    if (one.does.startsWith("answer")) avoided_input_tokens += removed;
  }
  const compactions = steps.filter((one) => one.does === "compact");
  return {
    count: compactions.length,
    avoided_input_tokens,
    rewritten_input_tokens: compactions.reduce((sum, { after }) => sum + after, 0),
    summary_usage: sumOf(compactions.map((one) => one.usage)),
  };
}

function sumOf(usages: readonly (ModelUsage | null)[]): ModelUsage {
  const sum = (kind: keyof ModelUsage) => usages.reduce((before, one) => before + (one?.[kind] ?? 0), 0);
  return {
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cache_read_input_tokens: sum("cache_read_input_tokens"),
    cache_creation_input_tokens: sum("cache_creation_input_tokens"),
  };
}

async function sessionOf(db: Queryable, id: string, models = PRICED): Promise<Session> {
  const row = (await getSession(db, id)) ?? assert.fail(id);
  return JSON.parse(sessionJson(row, models, { id: "" })) as Session;
}

test("without a price nothing is said to be saved; a model that costs nothing saves nothing, in no number of tokens", async (t) => {
  const db = await testDatabase(t);
  const id = await seedSession(db.write, await seed(db.write));
  const compact: Step = { does: "compact", usage: sumOf([]), before: 900, after: 100 };
  await play(db.write, id, [compact, ANSWER]);
  const savedBy = async (totalCost: () => number | null) => {
    const row = (await getSession(db.read, id)) ?? assert.fail(id);
    const { list_cost_usd, compaction } = JSON.parse(sessionJson(row, { totalCost }, { id: "" })) as Session;
    assert.equal(compaction.avoided_input_tokens, 800);
    return [list_cost_usd, compaction.saved_input_tokens, compaction.saved_list_cost_usd];
  };
  assert.deepEqual(await savedBy(() => null), [null, null, null]);
  assert.deepEqual(await savedBy(() => 0), [0, null, 0]);
});
