import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Draft } from "@berth/agent";
import type { SandboxWait } from "@berth/sandbox";
import { Activity } from "../repositories/activity.ts";
import { PlaceWait } from "./place-wait.ts";

const place = (reason: string): SandboxWait => ({ for: "place", reason, othersRun: false });

function trial() {
  const told: (string | undefined)[] = [];
  const log = {
    append: async (drafts: readonly Draft[]) => {
      for (const { event } of drafts)
        if (event.type === "session.status_rescheduled") told.push(event.reason);
      return [];
    },
  };
  const rests: boolean[] = [];
  const activity: Activity = new Activity(() => rests.push(activity.onlyWaits()));
  const ending = new AbortController();
  return { told, activity, rests, ending, wait: new PlaceWait(log, activity, ending.signal) };
}

describe("PlaceWait", () => {
  test("a wait that nobody needs is not told; once a call does, it is, and once for many calls", async () => {
    const { told, activity, wait } = trial();
    const opened = Promise.withResolvers<string>();
    const opening = activity.run(() => wait.during(() => opened.promise));
    wait.changed(place("full"));
    assert.deepEqual(told, []);
    assert.equal(wait.reportedSeconds, null);
    const calls = [wait.needed(() => opening), wait.needed(() => opening)];
    assert.deepEqual(told, ["The sandbox waits for a node: full"]);
    wait.changed(place("full"));
    wait.changed(place("fuller"));
    assert.equal(told.length, 1, "another reason soon after is told later");
    assert.ok((wait.reportedSeconds ?? -1) >= 0);
    opened.resolve("open");
    assert.deepEqual(await Promise.all(calls), ["open", "open"]);
    assert.equal(wait.isWaiting, false);
  });

  test("it counts as rest while it waits, and as work before and afterwards", async () => {
    const { activity, rests, wait } = trial();
    const opened = Promise.withResolvers<void>();
    const opening = activity.run(() => wait.during(() => opened.promise));
    assert.deepEqual([activity.isWorking(), activity.onlyWaits()], [true, false]);
    wait.changed(place("full"));
    assert.deepEqual([activity.isWorking(), activity.onlyWaits(), rests], [false, true, [true]]);
    wait.changed(null);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([activity.isWorking(), activity.onlyWaits()], [true, false]);
    wait.changed(place("full again"));
    opened.resolve();
    await opening;
    assert.deepEqual([activity.isWorking(), activity.onlyWaits()], [false, false]);
  });

  test("unlessWaiting: a step that waits for the sandbox is not waited for, one that does not is", async () => {
    const { activity, wait } = trial();
    const opened = Promise.withResolvers<number>();
    const opening = activity.run(() => wait.during(() => opened.promise));
    assert.equal(await wait.unlessWaiting(Promise.resolve(1)), 1);
    const step = wait.unlessWaiting(opening);
    wait.changed(place("full"));
    assert.equal(await step, undefined);
    assert.equal(await wait.unlessWaiting(opening), undefined);
    wait.changed(null);
    opened.resolve(2);
    assert.equal(await wait.unlessWaiting(opening), 2);
  });

  test("giveUp: only an opening that waits is given up, and the next one is another", async () => {
    const { activity, ending, wait } = trial();
    const opened = Promise.withResolvers<void>();
    const opening = activity.run(() => wait.during(() => opened.promise));
    wait.giveUp();
    assert.equal(wait.signal.aborted, false);
    wait.changed(place("full"));
    wait.giveUp();
    assert.equal(wait.signal.aborted, true);
    opened.resolve();
    await opening;
    const next = Promise.withResolvers<void>();
    const again = activity.run(() => wait.during(() => next.promise));
    assert.equal(wait.signal.aborted, false);
    ending.abort();
    assert.equal(wait.signal.aborted, true);
    next.resolve();
    await again;
  });
});
