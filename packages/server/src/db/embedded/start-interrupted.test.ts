// Subject: start-embedded-postgres.ts
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { temporaryInstance, withDatabase } from "../../../test-support/embedded-postgres.ts";

/** Moments of a first start: before and during initdb, while the server starts, and after it. */
const KILL_AFTER_MS = [300, 600, 750, 800, 850, 900];

for (const milliseconds of KILL_AFTER_MS) {
  test(`start: a first start is killed after ${milliseconds} ms → the next start works`, (t) =>
    startAfterKill(t, milliseconds));
}

async function startAfterKill(t: TestContext, milliseconds: number): Promise<void> {
  const instance = temporaryInstance(t);
  const child = instance.startInChild();
  setTimeout(() => child.process.kill("SIGKILL"), milliseconds);
  await child.exited;
  const server = await instance.start();
  const { rows } = await withDatabase(server.connection, (db) => db.write.query({ text: "select 1 as one" }));
  assert.deepEqual(rows, [{ one: 1 }]);
}
