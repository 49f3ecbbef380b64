import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { featuresOf, gated, gatedKind } from "./beta.ts";
import { parseInput } from "./fault.ts";

const body = z.strictObject({
  name: z.string(),
  outcome: gated("outcomes", z.strictObject({ goal: z.string() }).optional()),
  steps: z
    .array(
      gatedKind(
        "threads",
        "type",
        "branch",
        z.discriminatedUnion("type", [
          z.strictObject({ type: z.literal("say") }),
          z.strictObject({ type: z.literal("branch"), into: z.string() }),
        ]),
      ),
    )
    .optional(),
});

const outcomes = featuresOf("outcomes-2026-11-20");
const whole = { name: "a", outcome: { goal: "b" }, steps: [{ type: "say" }, { type: "branch", into: "c" }] };

test("a header names features with commas between; what nobody knows names none", () => {
  assert.deepEqual([...featuresOf("")], []);
  assert.deepEqual([...featuresOf("outcomes-2026-01-01,,outcomes, OUTCOMES-2026-11-20")], []);
  assert.deepEqual([...featuresOf(" threads-2026-11-20 ,x,outcomes-2026-11-20")], ["outcomes", "threads"]);
});

test("a gated part that is not activated is the fault, at its place and with its feature", () => {
  const faults = (input: unknown, features = featuresOf("")) => {
    const result = parseInput(body, input, features);
    return "fault" in result ? [result.fault.param, result.fault.feature] : result.data;
  };
  assert.deepEqual(faults(whole), ["outcome", "outcomes"]);
  assert.deepEqual(faults(whole, outcomes), ["steps[1].type", "threads"]);
  assert.deepEqual(faults({ ...whole, outcome: "of another form" }), ["outcome", "outcomes"]);
  assert.deepEqual(faults({ ...whole, outcome: { goal: 1 } }, outcomes), ["outcome.goal", undefined]);
  assert.deepEqual(faults({ name: 1, outcome: {} }), ["name", undefined], "the first fault decides");
});

test("a part that is not used, or is activated, is parsed as it is", () => {
  const both = featuresOf("outcomes-2026-11-20, threads-2026-11-20");
  assert.deepEqual(parseInput(body, whole, both), { data: whole });
  assert.deepEqual(parseInput(body, { name: "a", steps: [{ type: "say" }] }), {
    data: { name: "a", steps: [{ type: "say" }] },
  });
  assert.deepEqual(parseInput(body, { name: "a", outcome: undefined }), {
    data: { name: "a", outcome: undefined },
  });
  assert.ok("fault" in parseInput(body, whole), "what was activated for one parse is not for the next");
});
