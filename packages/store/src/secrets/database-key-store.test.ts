import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { testDatabase } from "../../test-support/database.ts";
import { recordDatabaseKey, requireDatabaseKey } from "./database-key-store.ts";

const [own, former, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const OTHER_KEY = /^Error: This database belongs to another secret key: [^\n]+$/;

test("requireDatabaseKey: the first service's key is that of the database; another is rejected", async (t) => {
  const db = await testDatabase(t);
  await requireDatabaseKey(db.write, { active: own, former: null });
  await requireDatabaseKey(db.write, { active: own, former });
  await assert.rejects(requireDatabaseKey(db.write, { active: other, former: null }), OTHER_KEY);
});

test("requireDatabaseKey: services with different keys start at once → those of one key start", async (t) => {
  const db = await testDatabase(t);
  const starts = [own, other, former, own].map((active) =>
    requireDatabaseKey(db.write, { active, former: null }).then(
      () => active,
      () => null,
    ),
  );
  const started = (await Promise.all(starts)).filter((key) => key !== null);
  assert.equal(new Set(started).size, 1);
});

test("requireDatabaseKey: while a key is replaced both are known, afterwards only the new one", async (t) => {
  const db = await testDatabase(t);
  await requireDatabaseKey(db.write, { active: former, former: null });
  await requireDatabaseKey(db.write, { active: own, former });
  await recordDatabaseKey(db.write, own, { replace: true });
  await requireDatabaseKey(db.write, { active: own, former: null });
  await assert.rejects(requireDatabaseKey(db.write, { active: former, former: null }), OTHER_KEY);
});
