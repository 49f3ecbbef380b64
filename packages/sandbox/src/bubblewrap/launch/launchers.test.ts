import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, test } from "node:test";
import { until } from "../../../test-support/conformance/until.ts";
import { takenArguments } from "./launch-program.ts";
import { DESCRIPTORS, Launchers } from "./launchers.ts";

let launchers: Launchers;

beforeEach(() => {
  launchers = new Launchers("/usr/bin/perl", "/dev/null");
});

afterEach(() => launchers.close());

/** Pids of the children of this process, but for those that have ended. */
function children(): number[] {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1").trim().split(" ");
  return pids.filter(Boolean).map(Number);
}

async function give(launcher: ChildProcess, given: string): Promise<{ output: string; code: number | null }> {
  const exited = once(launcher, "exit");
  const steps = (launcher.stdio as readonly unknown[])[DESCRIPTORS.steps];
  (steps as Writable).end(given);
  const output = await text(launcher.stdout as Readable);
  const [code] = await exited;
  return { output, code };
}

test("take: the process that waits, which then becomes the command", {
  skip: process.getuid?.() !== 0,
}, async () => {
  const before = children();
  const echo = takenArguments(["limit", "4", "0"], ["/bin/echo", "a", "", "b"]);
  assert.deepEqual(await give(launchers.take(), echo), { output: "a  b\n", code: 0 });
  await until(
    () => children().length > before.length,
    () => "no process waits",
  );
  const waiting = children().filter((pid) => !before.includes(pid));
  const taken = launchers.take();
  assert.deepEqual([taken.pid], waiting);
  assert.deepEqual(await give(taken, echo), { output: "a  b\n", code: 0 });
});

for (const [what, cut] of [
  ["none", 0],
  ["a part of the steps", 12],
  ["all but the end of the last", -1],
] as const) {
  test(`take: ${what} of the arguments come → nothing runs`, async () => {
    const whole = takenArguments(["limit", "4", "0"], ["/bin/echo", "run"]);
    assert.deepEqual(await give(launchers.take(), whole.slice(0, cut)), { output: "", code: 0 });
  });
}

test("close: the process that waits is ended", { skip: process.getuid?.() !== 0 }, async () => {
  const before = children();
  await give(launchers.take(), "");
  await until(
    () => children().length > before.length,
    () => "no process waits",
  );
  launchers.close();
  await until(
    () => children().length === before.length,
    () => `left: ${children()}`,
  );
});
