import assert from "node:assert/strict";
import test from "node:test";
import { gapPartsIn } from "./gap-parts.ts";

test("the parts of the gap are read from metrics, by mean and the bound of nine in ten", () => {
  const text = [
    "# TYPE berth_model_request_gap_seconds histogram",
    ...[0.001, 0.005].flatMap((le) => [
      `berth_model_request_gap_seconds_bucket{le="${le}",part="calls"} ${le === 0.001 ? 8 : 9}`,
      `berth_model_request_gap_seconds_bucket{le="${le}",part="build"} ${le === 0.001 ? 8 : 8}`,
    ]),
    'berth_model_request_gap_seconds_bucket{le="+Inf",part="calls"} 10',
    'berth_model_request_gap_seconds_bucket{le="+Inf",part="build"} 10',
    'berth_model_request_gap_seconds_sum{part="calls"} 0.04',
    'berth_model_request_gap_seconds_count{part="calls"} 10',
    'berth_model_request_gap_seconds_sum{part="build"} 0.5',
    'berth_model_request_gap_seconds_count{part="build"} 10',
    'berth_tool_call_seconds_sum{tool="Read",error="false"} 3',
  ].join("\n");
  assert.deepEqual(gapPartsIn(text), [
    { name: "calls", mean: 4, within90: 5 },
    { name: "build", mean: 50, within90: Number.POSITIVE_INFINITY },
  ]);
  assert.deepEqual(gapPartsIn("berth_up 1"), []);
});
