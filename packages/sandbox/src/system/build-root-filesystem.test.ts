import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { until } from "../../test-support/conformance/until.ts";
import { noRootFilesystem } from "../../test-support/system.ts";
import { aptSources } from "./apt-sources.ts";
import { buildRootFilesystem } from "./build-root-filesystem.ts";
import { missingSpace } from "./missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE, recipeKey } from "./recipe.ts";
import { sweepRootFilesystems } from "./sweep-trees.ts";

const skip = await noRootFilesystem();

async function place(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "berth-trees-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Pids of the processes whose arguments name this. */
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

describe("a system tree", { skip }, () => {
  test("that is cut off leaves no process, and nothing that is used", async (t) => {
    const directory = await place(t);
    const tree = join(directory, recipeKey(DEBIAN_RECIPE));
    const cut = new AbortController();
    const refused = [0, 1].map(() =>
      assert.rejects(
        buildRootFilesystem(directory, DEBIAN_RECIPE, cut.signal),
        /mmdebstrap could not make the system/,
      ),
    );
    await until(
      () => existsSync(`${tree}.making/etc`),
      () => "the build does not begin",
    );
    assert.ok(processesWith(tree).length > 0);
    cut.abort();
    await Promise.all(refused);
    await until(
      () => processesWith(tree).length === 0,
      () => `${processesWith(tree)} are left`,
    );
    assert.ok(!existsSync(tree));
    assert.ok(!readFileSync("/proc/mounts", "utf8").includes(directory));
    await assert.rejects(buildRootFilesystem(directory, DEBIAN_RECIPE, AbortSignal.abort()), /it was killed/);
  });

  test("that cannot be made gives its space back, and says why in a few lines", async (t) => {
    const directory = await place(t);
    const recipe = { ...DEBIAN_RECIPE, suite: "no-such-suite" };
    await assert.rejects(
      buildRootFilesystem(directory, recipe, new AbortController().signal),
      ({ message }: Error) =>
        /^mmdebstrap could not make the system: .*E: /s.test(message) && message.split("\n").length <= 4,
    );
    assert.deepEqual(readdirSync(directory), [`${recipeKey(recipe)}.lock`]);
  });

  test("of another recipe goes, with what builds that died have left, and the present one stays", async (t) => {
    const directory = await place(t);
    for (const name of ["bookworm-1", "bookworm-2.making", "bookworm-3", "trial-x"])
      await mkdir(join(directory, name, "etc"), { recursive: true });
    for (const name of ["bookworm-1.lock", "bookworm-2.lock", "bookworm-3.lock"])
      await writeFile(join(directory, name), "");
    await sweepRootFilesystems(directory, "bookworm-3");
    assert.deepEqual(readdirSync(directory).toSorted(), ["bookworm-3", "bookworm-3.lock"]);
  });
});

test("a tree is not begun on a disk that it would fill", async (t) => {
  const directory = await place(t);
  assert.equal(await missingSpace(directory, 0), null);
  assert.match(
    (await missingSpace(directory, 2 ** 70)) ?? "",
    /^the disk of the data directory has \d+ MiB free, and making the Debian takes \d+$/,
  );
});

test("the machine's lists of Debian packages are told from others, and from those with a login", async (t) => {
  const directory = await place(t);
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
