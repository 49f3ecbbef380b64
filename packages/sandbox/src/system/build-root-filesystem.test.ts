import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { until } from "../../test-support/conformance/until.ts";
import { noRootFilesystem } from "../../test-support/system.ts";
import { aptSources } from "./apt-sources.ts";
import { buildRootFilesystem, sweepRootFilesystems } from "./build-root-filesystem.ts";
import { missingSpace } from "./missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE, recipeKey } from "./recipe.ts";

const skip = await noRootFilesystem();

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
      () => existsSync(`${path}.making/etc`),
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
    const recipe = { ...DEBIAN_RECIPE, suite: "no-such-suite" };
    await assert.rejects(
      buildRootFilesystem(directory, recipe, new AbortController().signal),
      ({ message }: Error) =>
        /^mmdebstrap could not make the system: .*E: /s.test(message) && message.split("\n").length <= 4,
    );
    assert.deepEqual(readdirSync(directory), [`${recipeKey(recipe)}.lock`]);
  });

  test("sweep: other recipes and builds that died → deleted; the named one stays", async (t) => {
    const directory = await temporaryDirectory(t);
    for (const name of ["bookworm-1", "bookworm-2.making", "bookworm-3", "trial-x"])
      await mkdir(join(directory, name, "etc"), { recursive: true });
    for (const name of ["bookworm-1.lock", "bookworm-2.lock", "bookworm-3.lock"])
      await writeFile(join(directory, name), "");
    await sweepRootFilesystems(directory, "bookworm-3");
    assert.deepEqual(readdirSync(directory).toSorted(), ["bookworm-3", "bookworm-3.lock"]);
  });
});

test("missing space: too little free space → a clause with both sizes", async (t) => {
  const directory = await temporaryDirectory(t);
  assert.equal(await missingSpace(directory, 0), null);
  assert.match(
    (await missingSpace(directory, 2 ** 70)) ?? "",
    /^the disk of the data directory has \d+ MiB free, and making the Debian takes \d+$/,
  );
});

test("apt sources: the suite's own Debian lists → used; other suites, vendors and lists with a login → not", async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, "sources.list.d"));
  const files = {
    "sources.list":
      "# deb http://old.example/debian bookworm main\ndeb [arch=amd64] https://mirror.example/debian bookworm main contrib\n",
    "sources.list.d/debian.sources":
      "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n",
    "sources.list.d/login.list": "deb https://user:secret@mirror.example/debian bookworm main\n",
    "sources.list.d/other.list": "deb https://mirror.example/debian trixie main\n",
    "sources.list.d/vendor.list": "deb https://vendor.example/tools bookworm main\n",
    "sources.list.d/notes.txt": "deb https://mirror.example/debian bookworm main\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const found = aptSources("bookworm", directory).map((path) => path.slice(directory.length + 1));
  assert.deepEqual(found, ["sources.list", "sources.list.d/debian.sources"]);
  assert.deepEqual(aptSources("bookworm", join(directory, "absent")), []);
});
