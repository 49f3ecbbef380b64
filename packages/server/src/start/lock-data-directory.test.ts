import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { lockDataDirectory } from "./lock-data-directory.ts";

function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "berth-hold-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

test("lockDataDirectory: held → another service is rejected until it is released", async (t) => {
  const dataDir = directory(t);
  const letGo = await lockDataDirectory(dataDir);
  await assert.rejects(
    lockDataDirectory(dataDir),
    new RegExp(`already serves ${dataDir}, as process ${process.pid}`),
  );
  letGo();
  (await lockDataDirectory(dataDir))();
});

test("lockDataDirectory: many services start at once → one gets the lock", async (t) => {
  const dataDir = directory(t);
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDirectory(dataDir)));
  assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
});

test("lockDataDirectory: the lock of a dead process, or of a reused pid → it is taken over", async (t) => {
  const dataDir = directory(t);
  for (const note of ["4194305 1", `${process.pid} 1`, "", "nonsense"]) {
    writeFileSync(join(dataDir, "serving"), note);
    (await lockDataDirectory(dataDir))();
  }
});
