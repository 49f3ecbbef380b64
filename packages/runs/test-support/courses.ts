import fc from "fast-check";
import { bash, steps } from "./worker.ts";

/** Messages of which each has its turn take another way. */
export const TEXTS = {
  says: steps({ say: "Done." }),
  runs: steps(bash("echo one"), { say: "Done." }),
  lingers: steps(bash("linger"), { say: "Done." }),
  hangs: steps(bash("hang"), { say: "Never." }),
  dies: steps(bash("die"), { say: "Done." }),
  asks: steps({ tool: "ask", input: {} }, { say: "Done." }),
  writes: steps({ tool: "Write", input: { file_path: "/data/a", content: "b" } }, { say: "Done." }),
  calls: steps(
    {
      tools: [
        bash("linger"),
        { tool: "ask", input: {} },
        { tool: "Write", input: { file_path: "/data/a", content: "b" } },
      ],
    },
    { say: "Done." },
  ),
  fails: steps({ fail: "overloaded" }, { say: "Done." }),
  waits: steps({ wait_ms: 200 }, { say: "Done." }),
};

/** Of a lease that expires while a worker is cut off. */
export const SHORT_LEASE_MS = 600;
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Object.values(TEXTS)).map((text) => ({ send: text })) },
  { weight: 2, arbitrary: fc.constant({ do: "interrupt" as const }) },
  { weight: 3, arbitrary: fc.constant({ do: "replace" as const }) },
  { weight: 3, arbitrary: fc.constantFrom("allow" as const, "deny" as const).map((reply) => ({ reply })) },
  { weight: 3, arbitrary: fc.constantFrom({ do: "go" as const }, { do: "settle" as const }) },
  { weight: 2, arbitrary: fc.constant({ do: "add file" as const }) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }).map((milliseconds) => ({ pause: milliseconds })) },
);
/** What a network does to the older of the workers, and for how long: longer than a lease lasts, too. */
const cut = fc.record({
  cut: fc.constantFrom("stall" as const, "break" as const),
  milliseconds: fc.integer({ min: 1, max: 2 * SHORT_LEASE_MS }),
});
const expiry = fc
  .integer({ min: 1, max: 2 * SHORT_LEASE_MS })
  .map((milliseconds) => ({ pause: milliseconds }));
const ending = fc.constantFrom("archive" as const, "terminate" as const, "delete" as const, "none" as const);
type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type Step = Value<typeof step> | Value<typeof cut>;

/** What becomes of one session: steps, an end, and what comes after that all the same. */
export interface Course {
  before: Step[];
  end: "archive" | "terminate" | "delete" | "none";
  after: Step[];
}

export const course: fc.Arbitrary<Course> = courseOf(step);
/** For trials with `isCut`. */
export const cutCourse: fc.Arbitrary<Course> = courseOf(
  fc.oneof({ weight: 6, arbitrary: step }, { weight: 2, arbitrary: cut }, { weight: 1, arbitrary: expiry }),
);

function courseOf(one: fc.Arbitrary<Step>): fc.Arbitrary<Course> {
  return fc.record({
    before: fc.array(one, { maxLength: 8 }),
    end: ending,
    after: fc.array(one, { maxLength: 3 }),
  });
}
