import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { until } from "../../test-support/conformance/until.ts";
import { cannotBuildRootFilesystem } from "../../test-support/system.ts";
import { buildRootFilesystem, sweepRootFilesystems, useRootFilesystem } from "./build-root-filesystem.ts";
import { missingSpace } from "./missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE, recipeKey } from "./recipe.ts";

const skip = await cannotBuildRootFilesystem();

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "berth-trees-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Returns the pids of the other processes whose arguments contain this text. */
function processesWith(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

describe("root filesystem", { skip }, () => {
  test("build: the signal aborts → it rejects, and no process, mount or root filesystem is left", async (t) => {
    const directory = await temporaryDirectory(t);
    const path = join(directory, recipeKey(DEBIAN_RECIPE));
    const stop = new AbortController();
    const builds = [0, 1].map(() =>
      assert.rejects(
        buildRootFilesystem(directory, DEBIAN_RECIPE, stop.signal),
        /mmdebstrap could not make the system/,
      ),
    );
    await until(
      () => existsSync(`${path}.making/tree/etc`),
      () => "the build did not begin",
    );
    assert.ok(processesWith(path).length > 0);
    stop.abort();
    await Promise.all(builds);
    await until(
      () => processesWith(path).length === 0,
      () => `${processesWith(path)} are left`,
    );
    assert.ok(!existsSync(path));
    assert.ok(!readFileSync("/proc/mounts", "utf8").includes(directory));
    await assert.rejects(buildRootFilesystem(directory, DEBIAN_RECIPE, AbortSignal.abort()), /it was killed/);
  });

  test("build: mmdebstrap fails → the files are deleted, and the error has the last lines of its output", async (t) => {
    const directory = await temporaryDirectory(t);
    const recipe = { suite: "nosuch", lines: ["debian git", "suite nosuch"] };
    await assert.rejects(
      buildRootFilesystem(directory, recipe, new AbortController().signal),
      ({ message }: Error) =>
        /^mmdebstrap could not make the system: .*E: /s.test(message) && message.split("\n").length <= 4,
    );
    assert.deepEqual(readdirSync(directory), [`${recipeKey(recipe)}.lock`]);
  });

  test("build: an npm package has another digest than the recipe → nothing is built", async (t) => {
    const directory = await temporaryDirectory(t);
    const lines = DEBIAN_RECIPE.lines.map((line) => line.replace(/sha512-.*/, "sha512-AAAA"));
    const recipe = { suite: "trixie", lines };
    await assert.rejects(
      buildRootFilesystem(directory, recipe, new AbortController().signal),
      /\.tgz has another digest than the recipe/,
    );
    assert.deepEqual(readdirSync(directory), [`${recipeKey(recipe)}.lock`]);
  });

  test("sweep: other recipes and builds that died → deleted; the named one, and those in use, stay", async (t) => {
    const directory = await temporaryDirectory(t);
    for (const name of ["bookworm-1", "bookworm-2.making", "trixie-3", "trixie-4", "trial-x"])
      await mkdir(join(directory, name, "etc"), { recursive: true });
    for (const name of ["bookworm-1.lock", "bookworm-2.lock", "trixie-3.lock"])
      await writeFile(join(directory, name), "");
    const release = useRootFilesystem(join(directory, "trixie-4"));
    const sweep = { directory, keep: "trixie-3", unusedMinutes: 0 };
    await sweepRootFilesystems(sweep);
    const names = () => readdirSync(directory).toSorted();
    const kept = ["trial-x", "trial-x.lock", "trixie-3", "trixie-3.lock"];
    assert.deepEqual(names(), [...kept, "trixie-4", "trixie-4.lock"].toSorted());
    release?.();
    const hoursAgo = new Date(Date.now() - 3 * 3_600_000);
    await utimes(join(directory, "trial-x"), hoursAgo, hoursAgo);
    await sweepRootFilesystems({ ...sweep, unusedMinutes: 60 });
    assert.deepEqual(names(), ["trixie-3", "trixie-3.lock", "trixie-4", "trixie-4.lock"]);
    await sweepRootFilesystems(sweep);
    assert.deepEqual(names(), ["trixie-3", "trixie-3.lock"]);
    assert.equal(useRootFilesystem(join(directory, "trixie-4")), null);
  });
});

test("missing space: too little free space → a clause with both sizes", async (t) => {
  const directory = await temporaryDirectory(t);
  assert.equal(await missingSpace(directory, 0), null);
  assert.match(
    (await missingSpace(directory, 2 ** 70)) ?? "",
    /^the disk of the directory of systems has \d+ MiB free, and building takes \d+$/,
  );
});
