import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { requestErasure, selectErasures } from "@berth/api/test-support/internals/deletion";
import { minUuidAt, newUuid } from "@berth/contract";
import { openDiskBlobs } from "@berth/store/blobs";
import { WHOLE } from "@berth/store/db";
import { silentLog, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { startDataSweepers } from "./data-sweepers.ts";

const DAY_MS = 86_400_000;

test("services delete what is too old, and erase what was asked, one of them at a time", async (t) => {
  const db = await testDatabase(t);
  const dataDir = mkdtempSync(join(tmpdir(), "berth-sweepers-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const blobs = await openDiskBlobs(join(dataDir, "blobs"));
  const [from, erased] = [await seed(db.write), await seed(db.write)];
  const old = await seedSession(db.write, from, { id: minUuidAt(Date.now() - 31 * DAY_MS) });
  const lately = await seedSession(db.write, from, { id: minUuidAt(Date.now() - 31 * DAY_MS + 1) });
  const young = await seedSession(db.write, from);
  await db.write.query({
    text: `update sessions set updated_at = now() - interval '31 days', idle_since = now() - interval '31 days'
      where id = any($1::uuid[])`,
    values: [[old, young]],
  });
  await db.write.query({
    text: `insert into hosts (id, place, version, settings, capacity, name, role, seen_at)
      values ('killed', 'local:killed', 'test', '{}', 0, 'killed', 'api', now() - interval '13 minutes')`,
  });
  const { organizationId } = erased;
  await requestErasure(db.write, {
    ...{ id: newUuid(), subject_type: "organization", subject_id: organizationId },
    organization_id: organizationId,
  });
  const start = () =>
    startDataSweepers(
      { db, blobs, log: silentLog },
      { dataDir, retention: { sessions: 30 }, hostGraceSeconds: 120 },
    );
  const sweepers = (await Promise.all([start(), start()])).flat();
  await Promise.all(sweepers.map(({ swept }) => swept));
  await Promise.all(sweepers.map((one) => one.close()));
  const { rows } = await db.read.query<{ id: string }>({
    text: "select id from sessions where deleted_at is null order by id",
  });
  assert.deepEqual(
    rows.map(({ id }) => id),
    [lately, young],
  );
  assert.deepEqual((await db.read.query({ text: "select id from hosts" })).rows, []);
  assert.notEqual((await selectErasures(db.read, WHOLE))[0]?.completed_at, null);
});
