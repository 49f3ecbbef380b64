import assert from "node:assert/strict";
import { test } from "node:test";
import { LeaseLost } from "@berth/agent";
import { forgetHome } from "@berth/store/leases";
import { testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { types } from "../../test-support/worker.ts";
import { appendByRun } from "./append-events.ts";

test("forgetHome: the holder can write nothing more, and the session is due, without a disk, and told so", async (t) => {
  const db = await testDatabase(t);
  const id = await seedSession(db.write, await seed(db.write));
  const lease = await seedLease(db.write, id, "holder");
  await db.write.query({ text: "update sessions set home = 'there', workspace_uid = 300000, disk = 'warm'" });
  assert.equal(await forgetHome(db.write, id, "elsewhere"), false, "it is at home with another host");
  assert.equal(await forgetHome(db.write, id, "there"), true);
  const drafts = [{ event: { type: "session.status_running" as const } }];
  await assert.rejects(appendByRun(db.write, lease, drafts), LeaseLost);
  const { rows } = await db.read.query({
    text: "select home, workspace_uid, disk, lease_owner, pending_at is not null as due from sessions",
  });
  assert.deepEqual(rows, [{ home: null, workspace_uid: null, disk: null, lease_owner: null, due: true }]);
  assert.deepEqual(types(await readLog(db.read, id)), ["session.container_reclaimed"]);
});

test("forgetHome: a quiet session stays quiet, and nothing is appended to one that has ended", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const [quiet, ended, deleted] = [
    await seedSession(db.write, from),
    await seedSession(db.write, from),
    await seedSession(db.write, from),
  ];
  await db.write.query({ text: "update sessions set home = 'there'" });
  await db.write.query({
    text: `update sessions set terminated_at = case when id = $1 then now() end,
      deleted_at = case when id = $2 then now() end`,
    values: [ended, deleted],
  });
  for (const id of [quiet, ended, deleted]) await forgetHome(db.write, id, "there");
  const { rows } = await db.read.query({
    text: "select id, last_seq, pending_at is not null as due from sessions where home is null order by id",
  });
  assert.deepEqual(rows, [
    { id: quiet, last_seq: 1, due: false },
    { id: ended, last_seq: 0, due: false },
    { id: deleted, last_seq: 0, due: true },
  ]);
});
