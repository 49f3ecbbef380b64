import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { betaVariant, parseBetaHeader } from "./beta.ts";
import { parseInput } from "./validation.ts";

const body = z.strictObject({
  name: z.string(),
  steps: z.array(
    betaVariant(
      "threads",
      "type",
      "branch",
      z.discriminatedUnion("type", [
        z.strictObject({ type: z.literal("say") }),
        z.strictObject({ type: z.literal("branch"), into: z.string() }),
      ]),
    ),
  ),
});

const say = { type: "say" };
const branch = { type: "branch", into: "there" };
const threads = parseBetaHeader("threads-2026-11-20");

test("parseBetaHeader: identifiers are separated by commas; unknown ones are ignored", () => {
  assert.deepEqual([...parseBetaHeader("")], []);
  assert.deepEqual([...parseBetaHeader("outcomes-2026-01-01,,outcomes, OUTCOMES-2026-11-20")], []);
  assert.deepEqual(
    [...parseBetaHeader(" threads-2026-11-20 ,x,outcomes-2026-11-20")],
    ["outcomes", "threads"],
  );
});

test("betaVariant: a variant that is not activated is an error with its path and feature", () => {
  const fault = (input: unknown, features = parseBetaHeader("outcomes-2026-11-20")) => {
    const result = parseInput(body, input, features);
    return "error" in result ? [result.error.param, result.error.feature] : result.data;
  };
  assert.deepEqual(fault({ name: "a", steps: [say, branch] }), ["steps[1].type", "threads"]);
  assert.deepEqual(fault({ name: "a", steps: [{ type: "branch" }] }), ["steps[0].type", "threads"]);
  assert.deepEqual(fault({ name: "a", steps: [{ type: "branch" }] }, threads), ["steps[0].into", undefined]);
  assert.deepEqual(fault({ name: 1, steps: [branch] }), ["name", undefined], "the first fault decides");
});

test("betaVariant: an activated feature applies to one parse only", () => {
  const whole = { name: "a", steps: [say, branch] };
  assert.deepEqual(parseInput(body, whole, threads), { data: whole });
  assert.ok("error" in parseInput(body, whole));
  assert.deepEqual(parseInput(body, { name: "a", steps: [say] }), { data: { name: "a", steps: [say] } });
  for (const odd of [null, 1, "branch", [], {}]) {
    assert.ok("error" in parseInput(body, { name: "a", steps: [odd] }));
  }
});
