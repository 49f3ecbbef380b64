import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { berth } from "../../../test-support/berth.ts";

const skip = process.getuid?.() !== 0 && "only root has systems of sandboxes";

/** Returns a new directory of systems, and the command on it. */
function systems(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "berth-system-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const dir = join(directory, "systems");
  const env = { BERTH_SYSTEM_DIR: dir };
  const run = (...args: string[]) =>
    berth(["system", ...args, "--data-dir", join(directory, "data")], { env });
  return { directory, dir, run };
}

test("system show: not built → its name and directory; built → where it is, and its packages", {
  skip,
}, async (t) => {
  const { dir, run } = systems(t);
  const absent = await run("show");
  const [, name] =
    /^(trixie-[0-9a-f]{16}) is not built\. Its directory is \S+systems\.\n$/.exec(absent.stdout) ?? [];
  assert.ok(name !== undefined, absent.stdout + absent.stderr);
  mkdirSync(join(dir, name, "var/lib/dpkg"), { recursive: true });
  writeFileSync(join(dir, name, "var/lib/dpkg/status"), "Package: jq\nVersion: 1.7.1-6\n");
  const shown = JSON.parse((await run("show", "--json")).stdout);
  assert.deepEqual([shown.path, shown.packages.jq], [join(dir, name), "1.7.1-6"]);
  assert.match((await run("build")).stdout, / is at .*systems\/trixie-[0-9a-f]{16}\.\n$/);
});

test("system export and import: what cannot be done is one sentence and exit 1", { skip }, async (t) => {
  const { directory, run } = systems(t);
  const file = join(directory, "system.tar.zst");
  const missing = await run("export", file);
  assert.deepEqual([missing.code, missing.stdout], [1, ""]);
  assert.match(
    missing.stderr,
    /^error: The system trixie-[0-9a-f]{16} is not built; run berth system build\.\n$/,
  );
  writeFileSync(file, "no archive");
  const damaged = await run("import", file);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stderr, /^error: .*system\.tar\.zst is damaged: [^\n]+\.\n$/);
  assert.equal(readFileSync(file, "utf8"), "no archive");
});
