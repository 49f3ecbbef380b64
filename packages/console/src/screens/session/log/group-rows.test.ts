import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyLog, LogWriter } from "../../../../test-support/events.ts";
import { groupRows, groupWords, isInGroup, type ShownRow } from "./group-rows.ts";
import { reduce } from "./reduce.ts";
import { EMPTY_VIEW } from "./view.ts";

const shut = () => false;
const kinds = (rows: readonly ShownRow[]) =>
  rows.map((row) => (row.kind === "group" ? row.calls.length : row.kind));

function logOf(calls: number, failed = 0): LogWriter {
  const log = new LogWriter();
  log.say("go", "user.message");
  for (let n = 0; n < calls; n++) log.result(log.use(n % 3 === 0 ? "Read" : "Bash", {}).id, "x", n < failed);
  return log;
}

test("any log: opened, no row is lost, doubled or moved; closed, only calls that are over are hidden", () => {
  fc.assert(
    fc.property(anyLog, fc.boolean(), (events, working) => {
      const { rows } = reduce(EMPTY_VIEW, events);
      const open = groupRows(rows, working, () => true);
      assert.deepEqual(
        open.filter(({ kind }) => kind !== "group"),
        rows,
      );
      const seen = groupRows(rows, working, shut);
      const hidden = rows.filter((row) => !seen.includes(row));
      for (const row of hidden)
        assert.ok(
          row.kind === "thinking" ||
            (row.kind === "call" && row.result !== null) ||
            (row.kind === "call" && row.state === "denied"),
        );
      const inGroups = seen.flatMap((row) => (row.kind === "group" ? row.calls : []));
      assert.deepEqual(
        hidden.filter(({ kind }) => kind === "call"),
        inGroups,
      );
    }),
  );
});

test("many calls in a row are one line; few are seen, and so are the newest while the agent works", () => {
  assert.deepEqual(kinds(groupRows(reduce(EMPTY_VIEW, logOf(4).events).rows, false, shut)), [
    "input",
    ...Array(4).fill("call"),
  ]);
  const { rows } = reduce(EMPTY_VIEW, logOf(500, 2).events);
  assert.deepEqual(kinds(groupRows(rows, false, shut)), ["input", 500]);
  assert.deepEqual(kinds(groupRows(rows, true, shut)), ["input", 497, "call", "call", "call"]);
  const [, group] = groupRows(rows, false, shut);
  assert.ok(group?.kind === "group");
  assert.deepEqual(groupWords(group), { tools: "333 Bash, 167 Read", failed: 2 });
  assert.ok(isInGroup(group, group.calls[7]?.result?.id ?? "") && !isInGroup(group, "evt_none"));
});

test("a call that waits or runs is never in a group, however many are before and behind it", () => {
  for (const permission of ["ask", "allow"] as const) {
    const log = logOf(6);
    const open = log.use("Bash", {}, permission);
    for (let n = 0; n < 6; n++) log.result(log.use("Read", {}).id, "x");
    const { rows } = reduce(EMPTY_VIEW, log.events);
    assert.deepEqual(kinds(groupRows(rows, false, shut)), ["input", 6, "call", 6]);
    assert.equal(groupRows(rows, false, shut)[2]?.id, open.id);
  }
});

test("what is said, and a call that waits, parts groups; a group keeps its name while it grows", () => {
  const log = logOf(6);
  const [, before] = groupRows(reduce(EMPTY_VIEW, log.events).rows, false, shut);
  log.result(log.use("Bash", {}).id, "x");
  log.say("so far");
  log.use("Bash", {}, "ask");
  const grown = groupRows(reduce(EMPTY_VIEW, log.events).rows, true, shut);
  assert.deepEqual(kinds(grown), ["input", 7, "text", "call"]);
  assert.equal(grown[1]?.id, before?.id);
});
