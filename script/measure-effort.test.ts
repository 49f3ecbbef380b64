import assert from "node:assert/strict";
import { test } from "node:test";
import { effortFor } from "./measure-effort.ts";

test("effortFor: what is asked for, else what the machine has time for", () => {
  assert.equal(
    effortFor("whole", () => [500]),
    "whole",
  );
  assert.equal(
    effortFor("sampled", () => [20]),
    "sampled",
  );
  assert.equal(
    effortFor(undefined, () => [500, 25, 130]),
    "whole",
    "the quickest start counts: others were disturbed",
  );
  assert.equal(
    effortFor(undefined, () => [130, 110]),
    "sampled",
  );
  assert.equal(
    effortFor("", () => [110]),
    "sampled",
  );
});
