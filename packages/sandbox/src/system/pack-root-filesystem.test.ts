import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chown, lchown, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { SYSTEM_IDS } from "../interface/spec.ts";
import { exportRootFilesystem, importRootFilesystem } from "./pack-root-filesystem.ts";
import { readPackages } from "./read-packages.ts";
import { type Recipe, recipeKey } from "./recipe.ts";

const RECIPE: Recipe = { suite: "trixie", lines: ["debian jq", "npm x64 npm 11.0.0 sha512-AAAA"] };
const OWNER = SYSTEM_IDS.first;
const signal = new AbortController().signal;

/** Makes a small root filesystem in a new directory. */
async function made(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), "berth-pack-"));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, "trees", recipeKey(RECIPE));
  const status =
    "Package: jq\nStatus: install ok installed\nVersion: 1.7.1-6\n\nPackage: libjq1\nVersion: 1.7.1-6\n";
  await mkdir(join(path, "var/lib/dpkg"), { recursive: true });
  await writeFile(join(path, "var/lib/dpkg/status"), status);
  await symlink("/etc/passwd", join(path, "link"));
  const own = async () => {
    execFileSync("chown", ["-R", "-h", `${OWNER}:${OWNER}`, path]);
    await lchown(join(path, "link"), OWNER + 7, OWNER + 7);
  };
  await own();
  return { directory, path, file: join(directory, "system.tar.zst"), target: join(directory, "other"), own };
}

describe("packing", { skip: process.getuid?.() !== 0 && "only root can" }, () => {
  test("export and import: the same files, owners and links; a second import changes nothing", async (t) => {
    const { path, file, target } = await made(t);
    await exportRootFilesystem(path, file, signal);
    await assert.rejects(exportRootFilesystem(path, file, signal), /system\.tar\.zst exists$/);
    const imported = await importRootFilesystem(target, RECIPE, file, signal);
    assert.equal(await importRootFilesystem(target, RECIPE, file, signal), imported);
    const list = (root: string) =>
      execFileSync("find", [root, "-mindepth", "1", "-printf", "%P %m %U %G %s %l\n"]).toString();
    assert.equal(list(imported), list(path));
    assert.deepEqual(await readPackages(imported, RECIPE), { jq: "1.7.1-6", npm: "11.0.0" });
    assert.deepEqual(readdirSync(target).toSorted(), [recipeKey(RECIPE), `${recipeKey(RECIPE)}.lock`]);
  });

  test("import: another system, a damaged or foreign archive → an error, and nothing is left", async (t) => {
    const { directory, path, file, target, own } = await made(t);
    await exportRootFilesystem(path, file, signal);
    const refused = async (recipe: Recipe, archive: string, why: RegExp) => {
      await assert.rejects(importRootFilesystem(target, recipe, archive, signal), why);
      assert.deepEqual(readdirSync(target), [`${recipeKey(recipe)}.lock`]);
      await rm(join(target, `${recipeKey(recipe)}.lock`));
    };
    const other = { ...RECIPE, lines: ["debian jq"] };
    await refused(
      other,
      file,
      new RegExp(`has ${recipeKey(RECIPE)}, and this Berth needs ${recipeKey(other)}`),
    );
    const cut = join(directory, "cut.tar.zst");
    await writeFile(cut, readFileSync(file));
    await truncate(cut, 100);
    await refused(RECIPE, cut, /cut\.tar\.zst is damaged/);
    await writeFile(cut, "no archive");
    await refused(RECIPE, cut, /cut\.tar\.zst is damaged/);
    const changes: [string, (at: string) => unknown][] = [
      ["root's", (at) => chown(at, 0, 0)],
      ["set-user-id", (at) => execFileSync("chmod", ["4755", at])],
    ];
    for (const [name, change] of changes) {
      const at = join(path, "program");
      await writeFile(at, name);
      await own();
      await change(at);
      const foreign = join(directory, `${name}.tar.zst`);
      await exportRootFilesystem(path, foreign, signal);
      await refused(RECIPE, foreign, /has a file that no root filesystem has: \/program$/);
      await rm(at);
    }
    await assert.rejects(
      importRootFilesystem(target, RECIPE, join(directory, "absent"), signal),
      /there is no file/,
    );
  });

  test("export: no such root filesystem, or the signal aborts → an error and no file", async (t) => {
    const { directory, path, file } = await made(t);
    await assert.rejects(exportRootFilesystem(join(directory, "absent"), file, signal), /there is no system/);
    await assert.rejects(exportRootFilesystem(path, file, AbortSignal.abort()));
    assert.ok(!existsSync(file) && !existsSync(`${file}.part`));
  });
});
