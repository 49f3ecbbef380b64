import assert from "node:assert/strict";
import { test } from "node:test";
import { testApp } from "@berth/api/test-support/http";
import { environmentsAbove } from "./stored-resources-store.ts";

test("environments above the ceilings: each counts once, and archived ones not", async (t) => {
  const { caller, db } = await testApp(t, {
    ceilings: { cpus: 4, memory_mb: 4_096, pids: 1_000, disk_mb: 4_096 },
  });
  const owner = await caller();
  const resources = { cpus: 2, memory_mb: 2_048, pids: 200, disk_mb: 1_024 };
  const above = await owner.made("/environments", { name: "above", resources });
  await owner.made("/environments", { name: "below", resources: { ...resources, cpus: 1, pids: 100 } });
  const count = (lower: object) =>
    environmentsAbove(db.read, { cpus: 2, memory_mb: 2_048, pids: 200, disk_mb: 1_024, ...lower });
  assert.equal(await count({}), 0);
  assert.equal(await count({ cpus: 1.5, pids: 150 }), 1);
  assert.equal(await count({ memory_mb: 1_024 }), 2);
  assert.equal(await count({ disk_mb: 1_023 }), 2);
  await owner.made(`/environments/${above.id}/archive`, {});
  assert.equal(await count({ pids: 150 }), 0);
});
