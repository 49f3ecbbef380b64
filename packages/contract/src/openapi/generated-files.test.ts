// The subject is the command that checks and writes what is made from the contract.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const command = join(import.meta.dirname, "generated-files.ts");
const run = (...args: string[]) => spawnSync(process.execPath, [command, ...args], { encoding: "utf8" });
const FILES = ["packages/contract/openapi.json", "packages/sdk/src/resources/methods.ts"];

test("--check: names each file that differs or is missing, and changes none; --write: makes them all", (t) => {
  const root = mkdtempSync(join(tmpdir(), "berth-generated-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["packages/contract", "packages/sdk/src/resources"])
    mkdirSync(join(root, folder), { recursive: true });
  const complaint = (files: string[]) =>
    files.map((file) => `${file} does not match the contract: run 'npm run openapi'.\n`).join("");

  const missing = run("--check", root);
  assert.deepEqual([missing.status, missing.stderr], [1, complaint(FILES)]);
  const written = run("--write", root);
  assert.deepEqual([written.status, written.stderr], [0, ""]);
  const current = run("--check", root);
  assert.deepEqual([current.status, current.stderr], [0, ""]);
  for (const file of FILES) {
    appendFileSync(join(root, file), "\n");
    const before = readFileSync(join(root, file), "utf8");
    const differs = run("--check", root);
    assert.deepEqual([differs.status, differs.stderr], [1, complaint([file])]);
    assert.equal(readFileSync(join(root, file), "utf8"), before);
    run("--write", root);
  }
});

test("any other arguments → the usage, nothing is read or written", () => {
  for (const args of [[], ["--chek"], ["--check", ".", "--write"]]) {
    const refused = run(...args);
    assert.deepEqual(
      [refused.status, refused.stderr.split("\n")[0]],
      [2, "Usage: generated-files.ts --check|--write [DIRECTORY]"],
    );
  }
});
