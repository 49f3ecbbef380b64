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

test("a data directory has one service, until it lets go", async (t) => {
  const dataDir = directory(t);
  const letGo = await lockDataDirectory(dataDir);
  await assert.rejects(
    lockDataDirectory(dataDir),
    new RegExp(`already serves ${dataDir}, as process ${process.pid}`),
  );
  letGo();
  (await lockDataDirectory(dataDir))();
});

test("of many that start at once, one gets it", async (t) => {
  const dataDir = directory(t);
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDirectory(dataDir)));
  assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
});

test("the note of a process that is gone, or whose pid is another's by now, hinders nobody", async (t) => {
  const dataDir = directory(t);
  for (const note of ["4194305 1", `${process.pid} 1`, "", "nonsense"]) {
    writeFileSync(join(dataDir, "serving"), note);
    (await lockDataDirectory(dataDir))();
  }
});
