import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session, StreamFrame } from "@berth/sdk";
import { noticeFailedClone } from "./failed-clone.ts";
import { untilSettled } from "./until-settled.ts";

const resources = [
  { id: "sesr_1", type: "hosted_repository" },
  { id: "sesr_2", type: "git_repository" },
  { id: "sesr_3", type: "file" },
] as Session["resources"];

const idle = (type = "end_turn") => ({ type: "session.status_idle", stop_reason: { type } });
const ready = (resource_id: string) => ({ type: "session.resource_ready", resource_id });
const failed = (resource_id: string, type = "terminal") => ({
  type: "session.error",
  error: { message: `${resource_id} ${type}`, retry_status: { type }, resource_id },
});
const message = { type: "agent.message" };

/** A frame, with only the fields that are read. */
type Frame = object;

async function* stream(frames: readonly Frame[]): AsyncGenerator<StreamFrame> {
  for (const frame of frames) yield frame as StreamFrame;
}

/** Returns how many of the frames are read before they are settled. */
async function read(...frames: Frame[]): Promise<number> {
  let count = 0;
  for await (const _ of untilSettled(stream(frames), resources, () => assert.fail("gave up"))) count += 1;
  return count;
}

const CASES: readonly [what: string, frames: Frame[], count: number][] = [
  ["both clones are there at the end of the turn", [ready("sesr_1"), ready("sesr_2"), idle(), message], 3],
  ["a clone comes after the end", [ready("sesr_1"), idle(), message, ready("sesr_2"), message], 4],
  ["a clone fails after the end", [ready("sesr_1"), idle(), failed("sesr_2"), message], 3],
  ["a clone has no tries left", [ready("sesr_1"), idle(), failed("sesr_2", "exhausted"), message], 3],
  [
    "a clone is tried again → not settled, before and after the end",
    [
      failed("sesr_1", "retrying"),
      idle(),
      ready("sesr_2"),
      failed("sesr_1", "retrying"),
      ready("sesr_1"),
      message,
    ],
    5,
  ],
  [
    "a clone is tried again, and then fails",
    [ready("sesr_2"), failed("sesr_1", "retrying"), idle(), failed("sesr_1")],
    4,
  ],
  ["something else fails", [ready("sesr_1"), idle(), failed("sesr_3"), ready("sesr_2"), message], 4],
  ["the turn was interrupted → not waited for clones", [idle("cancelled"), ready("sesr_1")], 1],
];
for (const [what, frames, count] of CASES) {
  test(`until settled: ${what}`, async () => {
    assert.equal(await read(...frames), count);
  });
}

test("until settled: a clone that does not end → given up after five minutes, not before", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  async function* frames(): AsyncGenerator<StreamFrame> {
    yield idle() as StreamFrame;
    await over;
  }
  const settled = untilSettled(frames(), resources, end);
  await settled.next();
  let isOver = false;
  const last = settled.next().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  t.mock.timers.tick(299_999);
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await last;
});

async function reasons(...frames: Frame[]): Promise<string[]> {
  const told: string[] = [];
  const noticed = noticeFailedClone(stream(frames), resources, (reason) => told.push(reason));
  const seen: StreamFrame[] = [];
  for await (const frame of noticed) seen.push(frame);
  assert.deepEqual(seen, frames);
  return told;
}

test("failed clone: the first reason during the turn; not of a retry, of another resource, or after the end", async () => {
  const first = failed("sesr_1");
  assert.deepEqual(await reasons(message, first, failed("sesr_2"), idle()), ["sesr_1 terminal"]);
  assert.deepEqual(await reasons(failed("sesr_2", "exhausted"), idle()), ["sesr_2 exhausted"]);
  assert.deepEqual(await reasons(failed("sesr_1", "retrying"), ready("sesr_1"), idle()), []);
  assert.deepEqual(await reasons(failed("sesr_3"), idle()), []);
  assert.deepEqual(await reasons(idle(), first), []);
});
