import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { RunLog } from "../lease/run-log.ts";
import { EnvironmentProgress } from "./environment-progress.ts";

function stopper() {
  const stopping = new AbortController();
  return { signal: stopping.signal, stop: () => stopping.abort() };
}

/** Creates progress on a mocked clock, and records the reports. */
function progressOf(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const reported: [phase: string, seconds: number | null][] = [];
  const append: RunLog["append"] = async (drafts) => {
    for (const { event } of drafts)
      if (event.type === "session.environment_progress") reported.push([event.phase, event.seconds]);
    return [];
  };
  let milliseconds = 0;
  const pass = async (ms: number) => {
    milliseconds += ms;
    t.mock.timers.tick(ms);
    await setImmediate();
  };
  const { signal, ...stop } = stopper();
  return {
    reported,
    pass,
    ...stop,
    progress: new EnvironmentProgress({ append }, signal, () => milliseconds),
  };
}

test("EnvironmentProgress: a phase of a second or more → reported when it has taken a second and when it ends", async (t) => {
  const { reported, pass, progress } = progressOf(t);
  progress.start("system");
  await pass(999);
  progress.start("apt_packages");
  await pass(999);
  assert.deepEqual(reported, []);
  await pass(1);
  assert.deepEqual(reported, [["apt_packages", null]]);
  await pass(40_234);
  progress.start("npm_packages");
  progress.start("setup_script");
  await pass(5_000);
  await progress.end();
  await pass(5_000);
  await progress.end();
  assert.deepEqual(reported, [
    ["apt_packages", null],
    ["apt_packages", 41.234],
    ["setup_script", null],
    ["setup_script", 5],
  ]);
});

test("EnvironmentProgress: a phase that ends at once → nothing is reported, also not later", async (t) => {
  const { reported, pass, progress } = progressOf(t);
  progress.start("setup_script");
  await progress.end();
  await pass(60_000);
  assert.deepEqual(reported, []);
});

test("EnvironmentProgress: the signal has aborted → nothing more is reported", async (t) => {
  const { reported, pass, stop, progress } = progressOf(t);
  progress.start("setup_script");
  await pass(1_000);
  stop();
  await progress.end();
  assert.deepEqual(reported, [["setup_script", null]]);
});

test("EnvironmentProgress: a closed log → end resolves all the same", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const progress = new EnvironmentProgress(
    { append: () => Promise.reject(new Error("closed")) },
    stopper().signal,
  );
  progress.start("setup_script");
  t.mock.timers.tick(1_000);
  await progress.end();
});
