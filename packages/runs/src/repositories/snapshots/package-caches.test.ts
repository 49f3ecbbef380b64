import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { PACKAGE_CACHES } from "@berth/sandbox";
import {
  freeCaches,
  inheritCaches,
  mountedCaches,
  nextLayer,
  removeEmptyLayer,
  storedCaches,
  storeGathered,
} from "./package-caches.ts";
import { cachesDirectory, diskOf, type SnapshotDirectory } from "./snapshot-directory.ts";

const { npm = "", maven = "" } = PACKAGE_CACHES;

interface Setup {
  directory: SnapshotDirectory;
  /** Stores files, by paths of the form NAME/LAYER/FILE, in the caches of a snapshot. */
  store(id: string, files: Record<string, string>): void;
  /** Returns the layers of each cache of a snapshot, by its name. */
  layers(id: string, taken?: string[]): Promise<Record<string, string[]>>;
}

function setUp(t: TestContext): Setup {
  const path = mkdtempSync(join(tmpdir(), "package-caches-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  const directory = { path, host: "here" };
  return {
    directory,
    store(id, files) {
      for (const [name, text] of Object.entries(files)) {
        const file = join(cachesDirectory(directory, id), name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
    },
    async layers(id, taken = []) {
      const stored = await storedCaches(directory, id, taken);
      const from = cachesDirectory(directory, id).length + 1;
      return Object.fromEntries(
        stored.map(({ name, layers }) => [name, layers.map((each) => each.slice(from))]),
      );
    },
  };
}

test("caches: absolute paths in the home directory, none in another", () => {
  const paths = Object.values(PACKAGE_CACHES);
  for (const path of paths) {
    assert.match(path, /^\/home\/agent(\/[a-z0-9._-]+)+$/);
    assert.ok(!paths.some((other) => other.startsWith(`${path}/`)), path);
  }
});

test("stored caches: layers in the order of their numbers; none of unknown names or at a taken path", async (t) => {
  const { store, layers } = setUp(t);
  const all = Object.fromEntries([10, 9, 0].map((number) => [`npm/${number}/file`, ""]));
  store("one", { ...all, "maven/0/file": "", "unknown/0/file": "" });
  const expected = { npm: ["npm/0", "npm/9", "npm/10"], maven: ["maven/0"] };
  assert.deepEqual(await layers("one"), expected);
  assert.deepEqual(await layers("one", [`${maven}/inner`]), { npm: expected.npm });
  assert.deepEqual(await layers("one", [dirname(maven)]), { npm: expected.npm });
  assert.deepEqual(await layers("one", ["/home/agent"]), {});
  assert.deepEqual(await layers("missing"), {});
  assert.deepEqual(freeCaches(["/data/app"]), Object.entries(PACKAGE_CACHES));
});

test("mounted caches: one mount for each path, the first snapshot highest; what is over the limit is left out", async (t) => {
  const { directory, store } = setUp(t);
  const six = Object.fromEntries([0, 1, 2, 3, 4, 5].map((number) => [`npm/${number}/file`, ""]));
  store("one", { ...six, "maven/0/file": "" });
  store("two", { "npm/0/file": "", "npm/1/file": "", "maven/0/file": "" });
  store("three", six);
  store("four", { "npm/0/file": "" });
  const snapshots = ["one", "two", "three", "four"].map((id, index) => ({ id, uid: 1_000 + index }));
  const mounts = await mountedCaches(directory, snapshots, []);
  const shown = mounts.map(({ target, below = [], ...highest }) => [
    target,
    ...[highest, ...below].map(({ name, uid, source, layers = [] }) => {
      assert.ok(source.endsWith(`${name}/caches/${target === npm ? "npm" : "maven"}/0`), source);
      return `${name} ${uid} ${1 + layers.length}`;
    }),
  ]);
  assert.deepEqual(
    new Set(shown),
    new Set([
      [npm, "one 1000 6", "two 1001 2", "four 1003 1"],
      [maven, "one 1000 1", "two 1001 1"],
    ]),
  );
});

test("inherit: links to the layers, which stay when the former is deleted; a cache with six layers begins anew", async (t) => {
  const { directory, store, layers } = setUp(t);
  const six = Object.fromEntries([0, 1, 2, 3, 4, 5].map((number) => [`maven/${number}/file`, ""]));
  store("former", { "npm/0/deep/file": "first", "npm/1/file": "second", ...six });
  mkdirSync(diskOf(directory, "snapshots", "next"), { recursive: true });
  const inherited = await inheritCaches(directory, { id: "next", former: "former", taken: [] });
  assert.deepEqual(await layers("next"), { npm: ["npm/0", "npm/1"] });
  assert.deepEqual(inherited, await storedCaches(directory, "next", []));
  const file = join(cachesDirectory(directory, "next"), "npm/0/deep/file");
  assert.equal(statSync(file).nlink, 2);
  rmSync(diskOf(directory, "snapshots", "former"), { recursive: true });
  assert.equal(readFileSync(file, "utf8"), "first");
  const [cache] = inherited;
  assert.ok(cache);
  const next = nextLayer(directory, "next", cache);
  assert.ok(next.endsWith("/next/caches/npm/2"), next);
  mkdirSync(next);
  await removeEmptyLayer(next);
  assert.deepEqual(await layers("next"), { npm: ["npm/0", "npm/1"] });
  assert.deepEqual(await inheritCaches(directory, { id: "next", former: "former", taken: [] }), inherited);
});

test("inherit: the former has something at a layer's place that cannot be copied → none", async (t) => {
  const { directory, store, layers } = setUp(t);
  store("former", { "npm/0/file": "first" });
  mkdirSync(diskOf(directory, "snapshots", "next"), { recursive: true });
  writeFileSync(cachesDirectory(directory, "next"), "a file");
  assert.deepEqual(await inheritCaches(directory, { id: "next", former: "former", taken: [] }), []);
  assert.deepEqual(await layers("next"), {});
});

test("gathered: directories become caches; links, files and unknown names are removed", async (t) => {
  const { directory, layers } = setUp(t);
  const gathered = join(diskOf(directory, "snapshots", "one"), "gathered");
  mkdirSync(join(gathered, "npm/_cacache"), { recursive: true });
  mkdirSync(join(gathered, "unknown"));
  symlinkSync("/etc", join(gathered, "maven"));
  writeFileSync(join(gathered, "go"), "");
  await storeGathered(directory, "one", gathered);
  assert.deepEqual(await layers("one"), { npm: ["npm/0"] });
  assert.deepEqual(readdirSync(join(cachesDirectory(directory, "one"), "npm/0")), ["_cacache"]);
  assert.ok(!existsSync(gathered));

  const link = join(diskOf(directory, "snapshots", "two"), "gathered");
  const elsewhere = join(directory.path, "elsewhere");
  mkdirSync(dirname(link), { recursive: true });
  mkdirSync(join(elsewhere, "npm"), { recursive: true });
  symlinkSync(elsewhere, link);
  await storeGathered(directory, "two", link);
  assert.deepEqual(await layers("two"), {});
  assert.deepEqual([existsSync(link), existsSync(join(elsewhere, "npm"))], [false, true]);
});
