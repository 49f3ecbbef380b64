import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { RunLog } from "../lease/run-log.ts";
import { EnvironmentProgress } from "./environment-progress.ts";

function stopper() {
  const stopping = new AbortController();
  return { signal: stopping.signal, stop: () => stopping.abort() };
}

/** Waits on a clock that the test turns, and what they told. */
function progressOf(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told: [phase: string, seconds: number | null][] = [];
  const append: RunLog["append"] = async (drafts) => {
    for (const { event } of drafts)
      if (event.type === "session.environment_progress") told.push([event.phase, event.seconds]);
    return [];
  };
  let milliseconds = 0;
  const pass = async (ms: number) => {
    milliseconds += ms;
    t.mock.timers.tick(ms);
    await setImmediate();
  };
  const { signal, ...stop } = stopper();
  return { told, pass, ...stop, progress: new EnvironmentProgress({ append }, signal, () => milliseconds) };
}

test("what takes a second is told when it does and when it is over, and nothing else", async (t) => {
  const { told, pass, progress } = progressOf(t);
  progress.start("system");
  await pass(999);
  progress.start("apt_packages");
  await pass(999);
  assert.deepEqual(told, []);
  await pass(1);
  assert.deepEqual(told, [["apt_packages", null]]);
  await pass(40_234);
  progress.start("npm_packages");
  progress.start("setup_script");
  await pass(5_000);
  await progress.end();
  await pass(5_000);
  await progress.end();
  assert.deepEqual(told, [
    ["apt_packages", null],
    ["apt_packages", 41.234],
    ["setup_script", null],
    ["setup_script", 5],
  ]);
});

test("a wait that ends at once leaves nothing, also later", async (t) => {
  const { told, pass, progress } = progressOf(t);
  progress.start("setup_script");
  await progress.end();
  await pass(60_000);
  assert.deepEqual(told, []);
});

test("of a session that needs no sandbox any more nothing is told", async (t) => {
  const { told, pass, stop, progress } = progressOf(t);
  progress.start("setup_script");
  await pass(1_000);
  stop();
  await progress.end();
  assert.deepEqual(told, [["setup_script", null]]);
});

test("a log that takes nothing any more holds up nothing", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const progress = new EnvironmentProgress(
    { append: () => Promise.reject(new Error("closed")) },
    stopper().signal,
  );
  progress.start("setup_script");
  t.mock.timers.tick(1_000);
  await progress.end();
});
