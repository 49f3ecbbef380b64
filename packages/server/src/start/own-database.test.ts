import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog, testDatabase } from "@berth/store/test-support/database";
import { isOwnDatabase } from "./own-database.ts";

test("isOwnDatabase: a data directory belongs to the first database that it was used with", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "berth-own-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const [own, other] = [await testDatabase(t), await testDatabase(t)];
  await other.write.query({ text: "update database_identity set id = gen_random_uuid()" });
  const is = (db: typeof own) => isOwnDatabase(db.write, dataDir, silentLog);
  assert.deepEqual(await Promise.all([is(own), is(own)]), [true, true]);
  assert.deepEqual([await is(other), await is(own)], [false, true]);
  assert.deepEqual(readdirSync(dataDir), ["database"]);
});
