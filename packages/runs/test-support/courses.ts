import fc from "fast-check";
import { bash, steps } from "./worker.ts";

/** Messages that each make their turn take another course. */
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

/** Milliseconds of a lease that expires while a worker is cut off. */
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
/** Disconnects the older worker from the database, for up to longer than a lease. */
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

/** The course of one session: steps, an end, and steps after the end. */
export interface Course {
  before: Step[];
  end: "archive" | "terminate" | "delete" | "none";
  after: Step[];
}

export const course: fc.Arbitrary<Course> = courseOf(step);
/** Courses for trials with `isCut`. */
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
