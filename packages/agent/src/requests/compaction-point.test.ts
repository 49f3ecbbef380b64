import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryLog } from "../../test-support/memory-log.ts";
import { says, scriptedModel, toolCall } from "../../test-support/scripted-model.ts";
import { testAgent, testTool, testTurn } from "../../test-support/turn.ts";
import { type CarriedTokens, withRequest } from "../history/carried-tokens.ts";
import { foldHistory } from "../history/fold-history.ts";
import { runTurn } from "../loop/run-turn.ts";
import { type TokenPrices, USUAL_PRICES } from "../models/token-prices.ts";
import { textResult } from "../tools/tool.ts";
import {
  COMPACTION_FLOOR,
  type CompactionOptions,
  carriedCost,
  isCompactionDue,
  pricesPaid,
  summaryCost,
} from "./compaction-point.ts";

const PREFIX = { system: "", tools: [] };
const LEFT = 5_000;
/** The tokens that the rule assumes; the model may read fewer, or more. */
const READ_AGAIN = 6_000;
const SUMMARY = 1_000;

/** Decides whether a session whose next request has `tokens` is compacted. */
type Rule = (tokens: number, carried: CarriedTokens | null) => boolean;

const ANSWERED = ["one", "two"].map((text) => ({
  role: "assistant" as const,
  content: [{ type: "text" as const, text }],
}));

const computed =
  (options: CompactionOptions = {}): Rule =>
  (tokens, carried) => {
    const measured = { tokens, messages: ANSWERED.length };
    return isCompactionDue({ ...foldHistory([]), messages: ANSWERED, measured, carried }, PREFIX, options);
  };

/**
 * Returns the cost of a session whose requests append so many tokens each, with a cache like Anthropic's, and
 * the sizes at which it was compacted. The model reads again what a summary loses.
 */
function simulate(
  growth: readonly number[],
  prefix: number,
  prices: TokenPrices,
  rule: Rule,
  { pauseEvery = Number.POSITIVE_INFINITY, readAgain = READ_AGAIN } = {},
) {
  const points: number[] = [];
  let cost = 0;
  let carried: CarriedTokens | null = null;
  let cached = 0;
  let tokens = prefix;
  for (const [index, appended] of growth.entries()) {
    tokens += appended;
    if (index % pauseEvery === pauseEvery - 1) cached = 0;
    if (rule(tokens, carried)) {
      points.push(tokens);
      cost += cached * prices.cacheRead + (tokens - cached) * prices.cacheWrite + SUMMARY * prices.output;
      carried = null;
      cached = prefix;
      tokens = prefix + LEFT + readAgain;
    }
    const written = tokens - cached;
    cost += cached * prices.cacheRead + written * prices.cacheWrite;
    carried = withRequest(carried, usage(cached, written));
    cached = tokens;
  }
  return { cost, points };
}

function usage(read: number, written: number) {
  return {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}

const prices = fc.record({
  cacheRead: fc.double({ min: 0.05, max: 0.5, noNaN: true }),
  cacheWrite: fc.double({ min: 1, max: 2, noNaN: true }),
  output: fc.double({ min: 2, max: 8, noNaN: true }),
});
const growths = fc
  .tuple(
    fc.integer({ min: 100, max: 6_000 }),
    fc.integer({ min: 20, max: 400 }),
    fc.infiniteStream(fc.double({ min: 0.2, max: 1.8, noNaN: true })),
  )
  .map(([mean, count, factors]) => [...factors.take(count)].map((factor) => Math.round(mean * factor)));

test("compaction point: for any prices and rhythm, no session is compacted below the floor", () => {
  fc.assert(
    fc.property(growths, fc.integer({ min: 0, max: 60_000 }), prices, (growth, prefix, paid) => {
      const { points } = simulate(growth, prefix, paid, computed({ prices: paid }));
      for (const point of points)
        assert.ok(point >= COMPACTION_FLOOR && point - prefix >= COMPACTION_FLOOR / 8);
    }),
  );
});

/** Returns the cost of the rule, and that of the best threshold chosen when the session is known. */
function besideTheBest(growth: readonly number[], prefix: number, paid: TokenPrices, readAgain: number) {
  const costOf = (rule: Rule) => simulate(growth, prefix, paid, rule, { readAgain }).cost;
  const thresholds = [
    Number.POSITIVE_INFINITY,
    ...Array.from({ length: 80 }, (_, index) => COMPACTION_FLOOR + index * 4_000),
  ];
  const best = thresholds.map((threshold) =>
    costOf(
      (tokens, carried) => tokens >= threshold && tokens - (carried?.first ?? tokens) >= COMPACTION_FLOOR / 4,
    ),
  );
  return { cost: costOf(computed({ prices: paid })), best: Math.min(...best) };
}

const sessions = fc.tuple(growths, fc.integer({ min: 0, max: 20_000 }), prices);

for (const readAgain of [READ_AGAIN, 2_000, 10_000]) {
  test(`compaction point: for any rhythm, ${readAgain} tokens read again, the rule costs at most twice the best threshold chosen afterwards`, () => {
    fc.assert(
      fc.property(sessions, ([growth, prefix, paid]) => {
        const { cost, best } = besideTheBest(growth, prefix, paid, readAgain);
        assert.ok(cost <= best * 2, `${cost} beside ${best}`);
      }),
    );
  });

  // Always the same sessions, since the limit is a measured one.
  test(`compaction point: over 300 sessions, ${readAgain} tokens read again, the rule costs little more than the best thresholds`, () => {
    const ratios = fc.sample(sessions, { numRuns: 300, seed: 1 }).map(([growth, prefix, paid]) => {
      const { cost, best } = besideTheBest(growth, prefix, paid, readAgain);
      return cost / best;
    });
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    assert.ok(mean <= 1.1, `${mean}`);
  });
}

const carriedTokens = fc
  .record({
    requests: fc.integer({ min: 2, max: 200 }),
    first: fc.integer({ min: 1_000, max: 60_000 }),
    appended: fc.integer({ min: 0, max: 300_000 }),
    again: fc.integer({ min: 1, max: 20_000_000 }),
  })
  .map(
    ({ requests, first, appended, again }): CarriedTokens => ({
      requests,
      first,
      newest: first + appended,
      uncached: 0,
      read: again,
      written: first + appended,
      writtenForHour: 0,
      isHour: false,
    }),
  );

test("compaction point: what was read more makes it nearer, and dearer output or a cheaper cache never does", () => {
  fc.assert(
    fc.property(carriedTokens, prices, fc.integer({ min: 1, max: 1_000_000 }), (carried, paid, more) => {
      const isDue = (changed: Partial<CarriedTokens>, price = paid) =>
        computed({ prices: price })(carried.newest, { ...carried, ...changed });
      if (isDue({})) assert.ok(isDue({ read: carried.read + more }));
      if (!isDue({})) {
        assert.ok(!isDue({}, { ...paid, output: paid.output + 1 }));
        assert.ok(!isDue({ read: Math.max(1, carried.read - more) }));
      }
    }),
  );
});

test("compaction point: what is kept for an hour is paid for once, and makes the summary dearer, not nearer", () => {
  for (const [again, appended] of [
    [300_000, 40_000],
    [900_000, 120_000],
    [80_000, 30_000],
  ] as const) {
    const written = 10_000 + appended;
    const carried: CarriedTokens = {
      ...{ requests: 20, first: 10_000, newest: written, uncached: 0, read: again, written },
      ...{ writtenForHour: 0, isHour: false },
    };
    const forHour = { ...carried, writtenForHour: written, isHour: true };
    const paid = (one: CarriedTokens) => carriedCost(one, USUAL_PRICES);
    assert.equal(paid(forHour).toFixed(6), paid(carried).toFixed(6));
    const summary = (one: CarriedTokens) => summaryCost(written, pricesPaid(one, USUAL_PRICES));
    assert.ok(summary(forHour) > summary(carried));
  }
});

test("compaction point: what the agent says takes the place of what is computed, and free models are not compacted for their cost", () => {
  fc.assert(
    fc.property(carriedTokens, fc.integer({ min: 1_000, max: 400_000 }), (carried, compactAt) => {
      const isDue = computed({ compactAt })(carried.newest, carried);
      assert.equal(isDue, carried.newest >= compactAt && carried.newest - carried.first >= compactAt / 4);
      assert.equal(computed({ prices: null })(carried.newest, carried), false);
      assert.equal(computed({ prices: null, compactAt })(carried.newest, carried), isDue);
    }),
  );
});

test("compaction point: a session whose cache ends in each pause gets there sooner", () => {
  const growth = Array.from({ length: 200 }, () => 3_000);
  const [paused] = simulate(growth, 2_000, USUAL_PRICES, computed(), { pauseEvery: 4 }).points;
  const [steady] = simulate(growth, 2_000, USUAL_PRICES, computed()).points;
  assert.ok(steady !== undefined && steady > COMPACTION_FLOOR && steady < 100_000, `${steady}`);
  assert.ok(paused !== undefined && paused < steady, `${paused} and ${steady}`);
});

for (const [compactAt, length] of [
  [3_000, 2_000],
  [6_000, 4_000],
  [20_000, 30_000],
] as const) {
  test(`compaction: at ${compactAt} tokens, results of ${length} characters, in a window of 200,000`, async () => {
    const log = new MemoryLog();
    log.message("the first task");
    const sizes: number[] = [];
    const model = scriptedModel((request, index) => {
      sizes.push(JSON.stringify(request.messages).length / 4);
      if (JSON.stringify(request.messages).includes("## Task")) return says("a summary");
      return index < 24 ? { blocks: [toolCall("Echo", { text: "x" })] } : says("done");
    });
    const tool = testTool("Echo", () => textResult("r".repeat(length)));
    const agent = { ...testAgent, model: { ...testAgent.model, compact_at: compactAt } };
    assert.deepEqual(await runTurn(testTurn({ log, model, agent, tools: [tool] })), { type: "end_turn" });
    const compacted = log.events.filter((event) => event.type === "agent.context_compacted");
    assert.ok(compacted.length >= 1);
    for (const event of compacted)
      assert.ok(
        event.input_tokens_before >= compactAt && event.input_tokens_before <= compactAt * 1.5 + length / 4,
      );
    assert.ok(Math.max(...sizes) <= (compactAt + length / 4) * 1.5);
  });
}

for (const [results, length] of [
  [3, 30_000],
  [1, 90_000],
  [12, 6_000],
] as const) {
  test(`compaction: ${results} results of ${length} characters, beyond what a compaction keeps, are seen in full`, async () => {
    const log = new MemoryLog();
    log.message("the first task");
    let compactions = 0;
    const model = scriptedModel(({ messages }) => {
      const text = JSON.stringify(messages);
      if (text.includes("## Task")) {
        compactions += 1;
        return says("a summary");
      }
      if (text.split("the middle").length > results) return says("seen");
      assert.ok(compactions < 3, "the model never sees what it calls for");
      return {
        blocks: Array.from({ length: results }, (_, index) => toolCall("Echo", { text: `${index}` })),
      };
    });
    const half = "r".repeat(length / 2);
    const tool = testTool("Echo", () => textResult(`${half}the middle${half}`));
    const agent = { ...testAgent, model: { ...testAgent.model, compact_at: 3_000 } };
    assert.deepEqual(await runTurn(testTurn({ log, model, agent, tools: [tool] })), { type: "end_turn" });
    // A second task begins with what the first left.
    log.message("the second task");
    assert.deepEqual(await runTurn(testTurn({ log, model, agent, tools: [tool] })), { type: "end_turn" });
    assert.ok(compactions >= 1);
  });
}

test("compaction: a model that writes no summary while the window has room goes on without one", async () => {
  const log = new MemoryLog();
  log.message("the first task");
  let asked = 0;
  const model = scriptedModel((request, index) => {
    if (JSON.stringify(request.messages).includes("## Task")) {
      asked += 1;
      return { blocks: [] };
    }
    return index < 12 ? { blocks: [toolCall("Echo", { text: "x" })] } : says("done");
  });
  const tool = testTool("Echo", () => textResult("r".repeat(4_000)));
  const agent = { ...testAgent, model: { ...testAgent.model, compact_at: 3_000 } };
  assert.deepEqual(await runTurn(testTurn({ log, model, agent, tools: [tool] })), { type: "end_turn" });
  assert.equal(asked, 1);
  assert.ok(!log.types.includes("agent.context_compacted"));
  assert.ok(!log.types.includes("agent.content_omitted"));
});
