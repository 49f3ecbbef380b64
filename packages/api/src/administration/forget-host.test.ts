import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { forgetHost } from "./host-store.ts";

test("forgetHost: the disks of a place that another host can use stay; the last one gives them up", async (t) => {
  const db = await testDatabase(t);
  const place = "kubernetes:1/sandboxes";
  await db.write.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role)
      select id, $1, 'test', '{}', 1, id, 'all' from unnest(array['one', 'two']) as id`,
    values: [place],
  });
  const session = await seedSession(db.write, await seed(db.write));
  await db.write.query({ text: "update sessions set home = $2 where id = $1", values: [session, place] });
  const homes = async () => (await db.read.query({ text: "select home from sessions" })).rows;
  const forget = async (id: string) => (await forgetHost(db.write, id, { graceMs: 1, force: true })).sessions;
  assert.equal(await forget("one"), 0);
  assert.deepEqual(await homes(), [{ home: place }]);
  assert.equal(await forget("two"), 1);
  assert.deepEqual(await homes(), [{ home: null }]);
});
