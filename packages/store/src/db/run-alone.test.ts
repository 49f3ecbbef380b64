import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog, testDatabase } from "../../test-support/database.ts";
import { openDatabase } from "./pool.ts";
import { runAlone } from "./run-alone.ts";

test("runAlone: another process runs work of the same name → false, and it does not run; then it does", async (t) => {
  const db = await testDatabase(t);
  const other = openDatabase({ connection: db.connection, log: silentLog });
  const began = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const first = runAlone(db, "sweep", async () => {
    began.resolve();
    await end.promise;
  });
  await began.promise;
  const runs: string[] = [];
  const run = (name: string) => runAlone(other, name, async () => void runs.push(name));
  assert.deepEqual([await run("sweep"), await run("another"), runs], [false, true, ["another"]]);
  end.resolve();
  assert.equal(await first, true);
  assert.equal(await run("sweep"), true);
  await other.close();
});

test("runAlone: the work fails → its error, and the next may run", async (t) => {
  const db = await testDatabase(t);
  const failing = runAlone(db, "sweep", () => Promise.reject(new Error("no")));
  await assert.rejects(failing, /no/);
  assert.equal(await runAlone(db, "sweep", async () => undefined), true);
});
