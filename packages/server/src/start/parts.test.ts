import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "@berth/store/test-support/database";
import fc from "fast-check";
import { Parts } from "./parts.ts";

test("parts: any one fails before, while or after the others open → each that opened is closed once, the last first", async () => {
  const scenario = fc.integer({ min: 1, max: 6 }).chain((count) =>
    fc.record({
      order: fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
      failing: fc.nat(count - 1),
      asked: fc.boolean(),
    }),
  );
  await fc.assert(
    fc.asyncProperty(scenario, async ({ order, failing, asked }) => {
      const stop = new AbortController();
      const parts = new Parts(silentLog, stop.signal);
      const openings = order.map(() => Promise.withResolvers<number>());
      const closed: number[] = [];
      const all = Promise.all(
        openings.map(({ promise }) =>
          parts.open(
            () => promise,
            (part) => closed.push(part),
          ),
        ),
      );
      const failure = new Error(asked ? "stop" : "fails");
      const started = assert.rejects(all, failure);
      for (const part of order) {
        if (part !== failing) openings[part]?.resolve(part);
        else if (asked) stop.abort(failure);
        else openings[part]?.reject(failure);
        await Promise.resolve();
      }
      await started;
      if (asked) openings[failing]?.resolve(failing);
      await Promise.all([parts.close(), parts.close()]);
      const opened = openings.map((_, part) => part).filter((part) => asked || part !== failing);
      assert.deepEqual(closed, opened.toReversed());
    }),
  );
});

test("parts: an opening is told of the end by its signal; another is not begun any more", async () => {
  const parts = new Parts(silentLog);
  const opening = Promise.withResolvers<void>();
  const waiting = parts.open((signal) => {
    signal.addEventListener("abort", () => opening.reject(signal.reason));
    return opening.promise;
  });
  await Promise.all([assert.rejects(waiting, /stopping/), parts.close()]);
  await assert.rejects(
    parts.open(() => assert.fail("begun")),
    /stopping/,
  );
});

test("parts: one does not close → the others are closed all the same", async () => {
  const parts = new Parts(silentLog);
  const closed: string[] = [];
  await parts.open(
    () => "first",
    (part) => closed.push(part),
  );
  await parts.open(
    () => "second",
    () => Promise.reject(new Error("no")),
  );
  await parts.open(
    () => "third",
    (part) => closed.push(part),
  );
  await parts.close();
  assert.deepEqual(closed, ["third", "first"]);
});
