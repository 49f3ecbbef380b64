import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { takeDirectory } from "./take-directory.ts";

test("takeDirectory: a directory is free again when it is an hour old and no process was started from it", async (t) => {
  const bundles = mkdtempSync(join(tmpdir(), "berth-bundles-"));
  t.after(() => rmSync(bundles, { recursive: true }));
  assert.deepEqual([takeDirectory(bundles), takeDirectory(bundles)], ["1", "2"]);

  const program = join(bundles, "1/program.js");
  writeFileSync(program, 'process.stdin.resume();\nconsole.log("runs");\n');
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  for (const name of ["1", "2"]) utimesSync(join(bundles, name), 0, Date.now() / 1_000 - 3_700);
  assert.deepEqual([takeDirectory(bundles), takeDirectory(bundles)], ["2", "3"]);

  const ended = once(child, "exit");
  child.stdin.end();
  await ended;
  assert.equal(takeDirectory(bundles), "1");
  assert.equal(existsSync(program), false);
});
