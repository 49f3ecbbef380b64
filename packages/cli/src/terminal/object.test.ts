import assert from "node:assert/strict";
import { test } from "node:test";
import { listLines } from "./object.ts";
import { widthOf } from "./width.ts";

const token = {
  id: "tok_01kaz4h5m6n7p8q9r0s1t2v3w4",
  type: "token",
  name: "berth login of somebody@a-machine-with-a-long-name",
  parent_id: "tok_01kaz4h5m6n7p8q9r0s1t2v3w5",
  created_at: "2026-11-24T10:29:00.000Z",
};

test("list of tokens: fits 80 columns without parents, which a wide terminal and a pipe have", () => {
  const narrow = linesAt(80);
  assert.doesNotMatch(narrow.join("\n"), /PARENT|3w5/);
  assert.ok(narrow.every((line) => widthOf(line) <= 80));
  assert.match(narrow[1] ?? "", /3w4 .*2026-11-24 10:29$/);
  for (const columns of [120, undefined]) assert.match(linesAt(columns).join("\n"), /PARENT ID[\s\S]*3w5/);
});

test("list of runs: their sessions and errors, which fit 80 columns", () => {
  const run = {
    ...{ id: "drun_01kaz4h5m6n7p8q9r0s1t2v3w4", type: "deployment_run", succeeded_at: null },
    ...{ session_id: "sess_01kaz4h5m6n7p8q9r0s1t2v3w5", error: null, created_at: token.created_at },
  };
  const error = { type: "agent_archived_error", message: "Agent 'agent_1' is archived." };
  const runs = [run, { ...run, session_id: null, error }];
  const wide = linesAt(undefined, runs);
  assert.match(wide[0] ?? "", /^ID +SESSION ID +ERROR +CREATED AT$/);
  assert.match(wide[1] ?? "", /3w4 +sess_01kaz4h5m6n7p8q9r0s1t2v3w5 +- +2026-11-24 10:29$/);
  assert.match(wide[2] ?? "", /3w4 +- +agent_archived_error: Agent 'agent_1' is archived\. +2026/);
  const narrow = linesAt(80, runs);
  assert.ok(narrow.every((line) => widthOf(line) <= 80));
  assert.match(narrow[2] ?? "", /3w4 +- +agent_a/);
});

/** Returns the lines on a terminal of this width; undefined is a pipe. */
function linesAt(columns: number | undefined, objects: Parameters<typeof listLines>[0] = [token]): string[] {
  const { stdout } = process;
  const { isTTY, columns: before } = stdout;
  Object.assign(stdout, { isTTY: columns !== undefined, columns });
  const { NO_COLOR } = process.env;
  process.env.NO_COLOR = "1";
  const lines = listLines(objects);
  if (NO_COLOR === undefined) delete process.env.NO_COLOR;
  Object.assign(stdout, { isTTY, columns: before });
  return lines;
}
