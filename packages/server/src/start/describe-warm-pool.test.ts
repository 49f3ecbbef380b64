import assert from "node:assert/strict";
import { test } from "node:test";
import { addReady, MadeSandboxes } from "@berth/runs/test-support/warm";
import { testDatabase } from "@berth/store/test-support/database";
import { describeWarmPool } from "./describe-warm-pool.ts";

test("describeWarmPool: how many are ready, where there are to be any", async (t) => {
  const db = await testDatabase(t);
  const told = async (kubernetesWarmPods: number, sandbox: "kubernetes" | "bubblewrap" = "kubernetes") => {
    const line = await describeWarmPool({ sandbox, kubernetesWarmPods }, db.read);
    return line && `${line.state} ${/^\d+ of \d+/.exec(line.detail)}`;
  };
  await addReady(db, new MadeSandboxes());
  assert.equal(await told(1), "yes 1 of 1");
  assert.equal(await told(2), "degraded 1 of 2");
  assert.deepEqual([await told(0), await told(2, "bubblewrap")], [null, null]);
});
