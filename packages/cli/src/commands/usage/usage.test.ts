import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageFigures, UsageReport } from "@berth/sdk";
import { sharedInstallation } from "../../../test-support/installation.ts";
import { usageLines } from "./usage-lines.ts";

const FIGURES: UsageFigures = {
  ...{ sessions: 2, turns: 13, active_seconds: 7_530.25 },
  usage: {
    ...{ input_tokens: 1_234_567, output_tokens: 89_012 },
    ...{ cache_read_input_tokens: 0, cache_creation_input_tokens: 4 },
  },
  cached_input_share: 0,
  ...{ list_cost_usd: 1_234.5, unpriced_tokens: 0 },
};
const REPORT: UsageReport = {
  ...{ type: "usage", from: "2026-11-01", to: "2026-11-30", group_by: "day" },
  ...{ total: FIGURES, data: [{ key: "2026-11-24", name: null, ...FIGURES }], has_more: false },
};

test("a report as a table: numbers to the right, the total last", () => {
  assert.deepEqual(usageLines(REPORT), [
    "DAY         SESSIONS  TURNS      ACTIVE      INPUT  CACHE READ  CACHE WRITE  FROM CACHE  OUTPUT       COST",
    "2026-11-24         2     13  2 h 05 min  1,234,567           0            4        0.0%  89,012  $1,234.50",
    "total              2     13  2 h 05 min  1,234,567           0            4        0.0%  89,012  $1,234.50",
  ]);
});

test("the share of the input that a cache served: rounded down, and a dash without input", () => {
  const shares = [1, 0.9996, 0.29, 0.0004, 1, null];
  const data = shares.map((cached_input_share) => ({
    key: "2026-11-24",
    name: null,
    ...FIGURES,
    cached_input_share,
  }));
  const total = { ...FIGURES, cached_input_share: 0.5817 };
  assert.deepEqual(
    usageLines({ ...REPORT, data, total }).map((line) => line.split(/ {2,}/).at(-3)),
    ["FROM CACHE", "100.0%", "99.9%", "29.0%", "0.0%", "100.0%", "-", "58.1%"],
  );
});

test("groups with a name have their id; without a name, a dash or what happened to it", () => {
  const data = [
    { key: "usr_1", name: "ada@example.com", ...FIGURES },
    { key: "usr_2", name: null, ...FIGURES },
    { key: null, name: null, ...FIGURES },
  ];
  const lines = usageLines({ ...REPORT, group_by: "user", data });
  assert.deepEqual(
    lines.map((line) => line.split(/ {2,}/).slice(0, 3)),
    [
      ["USER", "ID", "SESSIONS"],
      ["ada@example.com", "usr_1", "2"],
      ["-", "usr_2", "2"],
      ["erased", "-", "2"],
      ["total", "2", "13"],
    ],
  );
});

test("costs: without tokens of unknown price, which the last line counts; nothing used prints nothing", () => {
  const all = 1_234_567 + 89_012 + 4;
  const figures = { ...FIGURES, list_cost_usd: 0.004, unpriced_tokens: 12_000 };
  const data = [
    { key: "a/b", name: null, ...figures },
    { key: "c/d", name: null, ...FIGURES, list_cost_usd: 0, unpriced_tokens: all },
  ];
  const lines = usageLines({ ...REPORT, group_by: "model", total: figures, data, has_more: true });
  assert.deepEqual(
    lines.slice(1, 4).map((line) => line.split(/ {2,}/).at(-1)),
    ["under $0.01*", "-", "under $0.01*"],
  );
  assert.deepEqual(lines.slice(4), [
    "* without 12,000 tokens of models whose price is unknown",
    "There are more: these have the most tokens. The total has all.",
  ]);
  assert.deepEqual(usageLines({ ...REPORT, data: [] }), []);
});

test("usage: flags choose the days and the groups; what is refused names its flag", async (t) => {
  const { json, run, done, stop } = await sharedInstallation();
  t.after(stop);
  const { from, to, group_by } = await json(
    ...["usage", "--from", "2026-01-31", "--to", "2026-02-01", "--group-by", "environment"],
  );
  assert.deepEqual([from, to, group_by], ["2026-01-31", "2026-02-01", "environment"]);
  assert.equal(await done("usage"), "");
  for (const [args, says] of [
    [["--from", "yesterday"], /must be a day, such as '2026-01-31'\.\n[\s\S]*field: from, set by --from/],
    [["--from", "2026-02-02", "--to", "2026-02-01"], /must not be after the last day[\s\S]*set by --from/],
    [["--group-by", "week"], /Allowed choices are day, agent, user, model, environment\./],
  ] as const) {
    const { code, stderr } = await run(["usage", ...args]);
    assert.notEqual(code, 0);
    assert.match(stderr, says);
  }
});
