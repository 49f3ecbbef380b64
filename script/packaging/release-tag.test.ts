import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { tagFault, tagRelease } from "./release-tag.ts";
import { run } from "./run.ts";

test("a release is tagged once, as it was committed, on a day that the changelog names", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "berth-release-tag-"));
  t.after(() => rmSync(root, { recursive: true }));

  const git = (...args: string[]) => run("git", args, root);
  const commit = async (heading: string) => {
    writeFileSync(join(root, "CHANGELOG.md"), `# Changelog\n\n## 1.2.3 ${heading}\n`);
    await git("add", ".");
    await git("commit", "--quiet", "--message", heading);
  };
  await git("init", "--quiet");
  await git("config", "user.name", "Ann");
  await git("config", "user.email", "ann@example.com");

  await commit("(not yet released)");
  assert.match((await tagFault(root, "1.2.3")) ?? "", /^CHANGELOG\.md has no day of the release/);
  await commit("(2026-01-31)");
  writeFileSync(join(root, "new.txt"), "");
  assert.match((await tagFault(root, "1.2.3")) ?? "", /: commit new\.txt first\.$/);
  rmSync(join(root, "new.txt"));
  assert.equal(await tagFault(root, "1.2.3"), undefined);
  assert.equal(await tagRelease(root, "1.2.3"), "v1.2.3");
  assert.equal(await git("describe"), "v1.2.3\n");
  assert.match((await tagFault(root, "1.2.3")) ?? "", /^the tag v1\.2\.3 exists already/);
});
