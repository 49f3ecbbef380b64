import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findPostmaster } from "./postmaster.ts";

test("pid file that the server's user replaced by a link or a pipe: no server is found, and nothing waits", (t) => {
  const cluster = mkdtempSync(join(tmpdir(), "berth-cluster-"));
  t.after(() => rmSync(cluster, { recursive: true }));
  const before = process.cwd();
  const path = join(cluster, "postmaster.pid");
  const lines = `${process.pid}\n${cluster}\n0\n5432\n/run/socket\n`;
  process.chdir(cluster);
  t.after(() => process.chdir(before));
  writeFileSync(path, lines);
  assert.equal(
    findPostmaster(cluster)?.pid,
    process.pid,
    "this process counts as the server, by its directory",
  );
  rmSync(path);
  writeFileSync(join(cluster, "elsewhere"), lines);
  symlinkSync("elsewhere", path);
  assert.equal(findPostmaster(cluster), undefined);
  rmSync(path);
  execFileSync("mkfifo", [path]);
  assert.equal(findPostmaster(cluster), undefined);
});
