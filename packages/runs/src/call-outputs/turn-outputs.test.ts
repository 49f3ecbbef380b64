import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { SecretMask } from "@berth/store/masking";
import { silentLog } from "@berth/store/test-support/database";
import { TurnOutputs } from "./turn-outputs.ts";

const LINE = Buffer.from("a line\n");

/** Creates the outputs of a turn on a mocked clock, and records the calls of the store. */
function turn(t: TestContext, write: () => Promise<void> = async () => {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const calls: (Record<string, string> | "read" | "clear")[] = [];
  const mask = new SecretMask();
  const outputs = new TurnOutputs({
    sessionId: "session",
    store: {
      write: (printed) => {
        calls.push(Object.fromEntries(printed));
        return write();
      },
      read: async () => {
        calls.push("read");
        return new Map([["evt_dead", "what it printed"]]);
      },
      clear: async () => void calls.push("clear"),
    },
    previews: { beginOutput: () => () => {}, outputChanged: () => {} },
    newMask: () => mask.stream(),
    log: silentLog,
  });
  /** Advances the clock, and lets pending promises settle. */
  const pass = async (milliseconds: number) => {
    t.mock.timers.tick(milliseconds);
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
  };
  return { outputs, calls, pass };
}

test("calls that take less than two seconds each → no statement", async (t) => {
  const { outputs, calls, pass } = turn(t);
  for (const id of ["evt_1", "evt_2", "evt_3"]) {
    const output = outputs.begin(id);
    output.add(LINE);
    await pass(1_900);
    output.end();
  }
  await pass(60_000);
  await outputs.close(false);
  assert.deepEqual(calls, []);
});

test("longer calls → one statement for all of them each five seconds, while they print, and one at the end of the turn", async (t) => {
  const { outputs, calls, pass } = turn(t);
  const [one, two] = [outputs.begin("evt_1"), outputs.begin("evt_2")];
  one.add(LINE);
  two.add(LINE);
  await pass(2_000);
  assert.deepEqual(calls, [{ evt_1: "a line\n", evt_2: "a line\n" }]);
  two.add(LINE);
  await pass(4_900);
  assert.equal(calls.length, 1);
  await pass(100);
  assert.deepEqual(calls.slice(1), [{ evt_2: "a line\na line\n" }]);
  await pass(60_000);
  assert.equal(calls.length, 2, "nothing new");
  one.end();
  two.end();
  await pass(60_000);
  await outputs.close(false);
  assert.deepEqual(calls.slice(2), ["clear"]);
});

test("a turn that is left to another process → the rest is stored and nothing cleared", async (t) => {
  const { outputs, calls, pass } = turn(t);
  assert.deepEqual(await outputs.ofDead(["evt_dead"]), new Map([["evt_dead", "what it printed"]]));
  outputs.begin("evt_done").end();
  outputs.begin("evt_1").add(LINE);
  await pass(1_000);
  await outputs.close(true);
  await pass(60_000);
  assert.deepEqual(calls, ["read", { evt_1: "a line\n" }]);
});

test("a store that fails → the calls go on, and the next time all is stored", async (t) => {
  const { outputs, calls, pass } = turn(t, async () => {
    throw new Error("away");
  });
  const output = outputs.begin("evt_1");
  output.add(LINE);
  await pass(2_000);
  output.add(LINE);
  await pass(5_000);
  await outputs.close(false);
  assert.deepEqual(calls, [{ evt_1: "a line\n" }, { evt_1: "a line\na line\n" }, "clear"]);
});
