import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import { Trials } from "./trials.ts";

const db: Queryable = { query: async () => ({ rows: [], rowCount: 1 }) };
const lease = { sessionId: newUuid(), organizationId: newUuid(), owner: "own", epoch: 1 };

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const settled = Symbol();
  const first = await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, settled))]);
  return first === settled;
}

test("sessions without crashes do not wait; of others each waits until the turn before has ended", async () => {
  const trials = new Trials(db);
  const end = await trials.begin(lease, 2);
  await trials.begin(lease, 0);
  const next = trials.begin(lease, 1);
  assert.equal(await isPending(next), true);
  end();
  (await next)();
});

test("after a minute a session with one crash lets the next one begin; one with more does not", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const trials = new Trials(db);
  await trials.begin(lease, 1);
  const next = trials.begin(lease, 2);
  assert.equal(await isPending(next), true);
  t.mock.timers.tick(60_000);
  await next;
  const last = trials.begin(lease, 1);
  t.mock.timers.tick(600_000);
  assert.equal(await isPending(last), true);
});
