import assert from "node:assert/strict";
import { test } from "node:test";
import { formerDatabase } from "../../test-support/former-schema.ts";
import { seed, seedSession } from "../../test-support/runs.ts";
import { localPlace } from "../leases/host.ts";
import { migrate } from "./migrate.ts";

const BEFORE_HOMES = 29;

test("a session whose disk was on a host of an installation is at home at its place", async (t) => {
  const db = await formerDatabase(t, BEFORE_HOMES);
  const from = await seed(db.write);
  const [withDisk, without] = [await seedSession(db.write, from), await seedSession(db.write, from)];
  await db.write.query({ text: "update sessions set disk_host = 'abc' where id = $1", values: [withDisk] });
  await migrate(db);
  const { rows } = await db.read.query({ text: "select id, home from sessions order by id" });
  assert.deepEqual(rows, [
    { id: withDisk, home: localPlace("abc") },
    { id: without, home: null },
  ]);
});
