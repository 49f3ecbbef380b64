import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { singleFlight } from "./single-flight.ts";

test("joinSameTick: callers during a call → share one later call, and calls run one at a time", async () => {
  const begun: PromiseWithResolvers<number>[] = [];
  const read = singleFlight<void, number>(
    () => {
      const one = Promise.withResolvers<number>();
      begun.push(one);
      return one.promise;
    },
    { joinSameTick: true },
  );
  const first = [read(), read()];
  await Promise.resolve();
  assert.equal(begun.length, 1);
  const later = [read(), read(), read()];
  await new Promise(setImmediate);
  assert.equal(begun.length, 1, "one at a time");
  begun[0]?.resolve(1);
  assert.deepEqual(await Promise.all(first), [1, 1]);
  await new Promise(setImmediate);
  assert.equal(begun.length, 2);
  begun[1]?.resolve(2);
  assert.deepEqual(await Promise.all(later), [2, 2, 2]);
});

test("joinSameTick: a call that rejects → rejects for its callers, and the next caller starts a new call", async () => {
  let count = 0;
  const read = singleFlight<void, number>(
    async () => {
      count += 1;
      if (count === 1) throw new Error("away");
      return count;
    },
    { joinSameTick: true },
  );
  await assert.rejects(read(), /away/);
  assert.equal(await read(), 2);
});

interface Question {
  url: string;
  secret: string | null;
}

const question: Question = { url: "https://git.example/org/one", secret: "first" };

/** A host whose answers the test supplies, asked once per url and secret. */
function host(maxWaitMs = 60_000) {
  const questions: (PromiseWithResolvers<{ head: string } | null> & { secret: string | null })[] = [];
  const list = singleFlight(
    ({ secret }: Question) => {
      const asked = { ...Promise.withResolvers<{ head: string } | null>(), secret };
      questions.push(asked);
      return asked.promise;
    },
    { key: ({ url, secret }) => JSON.stringify([url, secret]), maxWaitMs },
  );
  /** Resolves when the host has been asked this many times. Fails when it was asked more often. */
  const asked = async (count: number) => {
    for (let turns = 0; turns < 10_000 && questions.length < count; turns++) await settled();
    assert.equal(questions.length, count);
  };
  return { questions, list, asked };
}

test("key: callers during a call → share the next call, which begins after it", async () => {
  const { questions, list, asked } = host();
  const first = list(question);
  const [second, third] = [list(question), list({ ...question })];
  assert.equal(questions.length, 1);
  questions[0]?.resolve({ head: "before" });
  assert.equal((await first)?.head, "before");
  await asked(2);
  const fourth = list(question);
  questions[1]?.resolve({ head: "after" });
  assert.deepEqual([(await second)?.head, (await third)?.head], ["after", "after"]);
  await asked(3);
  questions[2]?.resolve(null);
  assert.equal(await fourth, null);
  const later = list(question);
  assert.equal(questions.length, 4);
  questions[3]?.resolve({ head: "later" });
  assert.equal((await later)?.head, "later");
});

test("key: another key, or a call that rejected → results are not shared", async () => {
  const { questions, list, asked: untilAsked } = host();
  const asked = [
    list(question),
    list({ ...question, secret: "second" }),
    list({ ...question, secret: null }),
  ];
  assert.deepEqual(
    questions.map(({ secret }) => secret),
    ["first", "second", null],
  );
  const next = list(question);
  const failed = assert.rejects(asked[0] ?? next, /gone/);
  questions[0]?.reject(new Error("gone"));
  for (const one of questions.slice(1)) one.resolve(null);
  await Promise.all([failed, ...asked.slice(1)]);
  await untilAsked(4);
  questions[3]?.resolve({ head: "mine" });
  assert.equal((await next)?.head, "mine");
});

test("maxWaitMs: a call that does not settle → the next one starts, and a late result goes only to its own callers", async () => {
  const { questions, list, asked } = host(1);
  const first = list(question);
  const [second, third] = [list(question), list(question)];
  await asked(2);
  const fourth = list(question);
  await asked(3);
  questions[0]?.resolve({ head: "late" });
  questions[1]?.resolve({ head: "second" });
  const heads = await Promise.all([first, second, third].map(async (one) => (await one)?.head));
  assert.deepEqual(heads, ["late", "second", "second"]);
  const fifth = list(question);
  questions[2]?.resolve({ head: "third" });
  assert.equal((await fourth)?.head, "third");
  await asked(4);
  questions[3]?.resolve(null);
  assert.equal(await fifth, null);
});

test("any schedule of callers and results → one call per key at a time, and no result older than its question", async () => {
  const ask = fc.record({ ask: fc.constantFrom("a", "b") });
  const settle = fc.record({ settle: fc.nat(), fails: fc.boolean() });
  const wait = fc.constant({ wait: true as const });
  const steps = fc.array(fc.oneof(ask, settle, wait), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (schedule, joinSameTick) => {
      const calls: { key: string; start: number; end: PromiseWithResolvers<number>; over: boolean }[] = [];
      let clock = 0;
      const flight = singleFlight(
        (key: string) => {
          assert.ok(!calls.some((call) => call.key === key && !call.over), "two calls at once");
          const end = Promise.withResolvers<number>();
          calls.push({ key, start: ++clock, end, over: false });
          return end.promise;
        },
        { key: (key) => key, joinSameTick },
      );
      const results: Promise<void>[] = [];
      const finish = (call: (typeof calls)[number] | undefined, fails: boolean) => {
        if (call === undefined) return;
        call.over = true;
        if (fails) call.end.reject(new Error(`${call.start}`));
        else call.end.resolve(call.start);
      };
      for (const step of schedule) {
        if ("ask" in step) {
          const asked = ++clock;
          const start = flight(step.ask).catch((error: Error) => Number(error.message));
          results.push(start.then((at) => assert.ok(at > asked, "older than its question")));
        } else if ("settle" in step) {
          const open = calls.filter(({ over }) => !over);
          finish(open[step.settle % open.length], step.fails);
        } else await settled();
      }
      const every = Promise.all(results).then(() => "settled");
      for (;;) {
        for (const call of calls.filter(({ over }) => !over)) finish(call, false);
        if ((await Promise.race([every, settled("pending")])) === "settled") break;
      }
    }),
  );
});
