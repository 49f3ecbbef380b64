import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { requireDisk } from "./require-disk.ts";

test("requireDisk: the machine with the disk was seen a moment ago, or why not", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  for (const [place, seen] of [
    ["here", "1 second"],
    ["away", "2 minutes"],
  ]) {
    await db.write.query({
      text: `insert into hosts (id, place, version, settings, capacity, name, role, seen_at)
        values ($1, $1, '1', '{}', 1, $1, 'all', now() - $2::interval)`,
      values: [place, seen],
    });
  }
  const session = async (set: string) => {
    const id = await seedSession(db.write, from);
    await db.write.query({ text: `update sessions set ${set} where id = $1`, values: [id] });
    return id;
  };
  const { mountPaths } = await requireDisk(db.read, await session("home = 'here'"));
  assert.deepEqual(mountPaths, []);
  const rejected: [set: string, type: string, message: RegExp][] = [
    ["home = 'away'", "api_error", /is offline/],
    ["home = 'unknown'", "api_error", /is offline/],
    ["home = null", "conflict_error", /its first command or resource creates one/],
    ["home = 'here', archived_at = now()", "conflict_error", /is archived/],
    ["home = 'here', terminated_at = now()", "conflict_error", /is terminated/],
    ["home = 'here', deleted_at = now()", "not_found_error", /does not exist/],
  ];
  for (const [set, type, message] of rejected)
    await assert.rejects(requireDisk(db.read, await session(set)), { type, message }, set);
  await assert.rejects(requireDisk(db.read, newUuid()), { type: "not_found_error" });
});
