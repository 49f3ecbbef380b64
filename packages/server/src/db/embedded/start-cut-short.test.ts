import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { temporaryPlace, withDatabase } from "../../../test-support/embedded-postgres.ts";

/** Instants of a first start: before initdb, in it, around the server's own start, and after it. */
const KILL_AFTER_MS = [300, 600, 750, 800, 850, 900];

for (const milliseconds of KILL_AFTER_MS) {
  test(`a start that is killed after ${milliseconds} ms hinders no other`, (t) =>
    startAfterKill(t, milliseconds));
}

async function startAfterKill(t: TestContext, milliseconds: number): Promise<void> {
  const place = temporaryPlace(t);
  const child = place.startInChild();
  setTimeout(() => child.process.kill("SIGKILL"), milliseconds);
  await child.exited;
  const server = await place.start();
  const { rows } = await withDatabase(server.connection, (db) => db.write.query({ text: "select 1 as one" }));
  assert.deepEqual(rows, [{ one: 1 }]);
}
