import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readMutations } from "./read-mutations.ts";

const ROOT = join(import.meta.dirname, "..");

for (const { name, patch, test: file, fails } of readMutations(ROOT)) {
  test(`mutation ${name}: the patch applies, and its test exists`, () => {
    const applied = spawnSync("git", ["apply", "--check", patch], { cwd: ROOT, encoding: "utf8" });
    assert.equal(applied.status, 0, applied.stderr);
    assert.ok(existsSync(join(ROOT, file)), file);
    const titled = readFileSync(join(ROOT, file), "utf8");
    const word = fails.replace(/:$/, "");
    assert.ok(
      titled.includes(word) || /\$\{/.test(titled),
      `${file} has no test with "${fails}" in its title`,
    );
  });
}
