// Subject: sessions, and requests that come while workers hold them and are replaced.
import { test } from "node:test";
import fc from "fast-check";
import { isWhole } from "../../../../tests/effort/effort.ts";
import { type Course, course, cutCourse, TEXTS } from "../../test-support/courses.ts";
import { Trials } from "../../test-support/trials.ts";

/** How many courses are tried, of those that `npm run crash` tries; each run tries others. */
const some = (all: number): number => (isWhole("crash") ? all : Math.ceil(all / 3));

const replace = { do: "replace" as const };
/** Courses of former failures: the session was not released, or a call had no result. */
const EXAMPLES: Course[] = [
  { before: [{ send: TEXTS.hangs }, { pause: 60 }], end: "terminate", after: [] },
  { before: [{ send: TEXTS.says }, { do: "interrupt" }], end: "delete", after: [] },
  { before: [{ send: TEXTS.says }, replace], end: "archive", after: [replace] },
  {
    before: [{ send: TEXTS.hangs }, { pause: 32 }, replace, replace],
    end: "archive",
    after: [{ do: "go" }],
  },
  { before: [{ send: TEXTS.asks }], end: "none", after: [{ pause: 10 }] },
  { before: [{ do: "settle" }], end: "archive", after: [replace, { do: "interrupt" }] },
];

test("any inputs, ends and replaced workers → the session is released in moments, with a whole log and without a sandbox", async (t) => {
  const trials = await Trials.open(t);
  const property = fc.asyncProperty(course, (one) => trials.take(one));
  await fc.assert(property, { numRuns: some(60), examples: EXAMPLES.map((one) => [one]) });
});

test("the same of several sessions at once that share one slot of each worker", async (t) => {
  const trials = await Trials.open(t, { concurrency: 1 });
  const several = fc.array(course, { minLength: 2, maxLength: 4 });
  const property = fc.asyncProperty(several, async (courses) => {
    await Promise.all(courses.map((one) => trials.take(one)));
  });
  await fc.assert(property, { numRuns: some(20) });
});

test("the same with workers that are cut off from the database, also for longer than their leases last", async (t) => {
  const trials = await Trials.open(t, { isCut: true });
  const property = fc.asyncProperty(cutCourse, (one) => trials.take(one));
  await fc.assert(property, { numRuns: some(20) });
});
