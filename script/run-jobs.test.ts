import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { runJobs } from "./run-jobs.ts";

const LOOK_INTERVAL_MS = 1;

test("three at a time without room, in their order, until the last one has ended", async () => {
  const { most, began } = await ran(12, () => false);
  assert.equal(most, 3);
  assert.deepEqual(
    began,
    Array.from({ length: 12 }, (_, n) => `${n}`),
  );
});

test("another job starts whenever there is room, up to six", async () => {
  const { most, began } = await ran(12, () => true);
  assert.equal(most, 6);
  assert.equal(new Set(began).size, 12);
});

test("room for one: the fourth begins", async () => {
  let rooms = 1;
  const { most } = await ran(12, () => rooms-- > 0);
  assert.equal(most, 4);
});

test("fewer jobs than places, and none", async () => {
  assert.deepEqual((await ran(2, () => true)).began, ["0", "1"]);
  assert.deepEqual((await ran(0, () => true)).began, []);
});

/**
 * Runs jobs that end one at a time, each after several checks of the machine. Returns the files in order of
 * start, and the most that ran at a time.
 */
async function ran(count: number, hasRoom: () => boolean): Promise<{ most: number; began: string[] }> {
  const began: string[] = [];
  const running: (() => void)[] = [];
  let most = 0;
  let looks = 0;
  const asked = (): boolean => {
    looks += 1;
    return hasRoom();
  };
  const jobs = Array.from({ length: count }, (_, n) => `${n}`);
  const run = (job: string): Promise<void> => {
    began.push(job);
    const { promise, resolve } = Promise.withResolvers<void>();
    most = Math.max(most, running.push(resolve));
    return promise;
  };
  const all = runJobs(jobs, run, asked, LOOK_INTERVAL_MS);
  for (let ended = 0; ended < count; ended += 1) {
    const enough = looks + 8;
    while (looks < enough) await turn();
    running.shift()?.();
  }
  await all;
  return { most, began };
}
