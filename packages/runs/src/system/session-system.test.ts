import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type LayerCache, type RootFilesystem, RootFilesystemError } from "@berth/sandbox";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { readInputs } from "../inputs/session-inputs-store.ts";
import { newSuiteNote } from "./disk-system.ts";
import { mayWaitForSystem, type SystemDeps, sessionSystem } from "./session-system.ts";

const PACKAGES = { packages: { apt: ["jq"], npm: ["semver"], pip: ["six"] }, setup_script: "true" };
const PLAIN = { packages: { apt: [], npm: [], pip: [] }, setup_script: null };
type Settled = Awaited<ReturnType<RootFilesystem["settled"]>>;

/** Returns what chooses the system of a session whose environment has this configuration. */
async function chooser(t: TestContext, settled: () => Promise<Settled>) {
  const [db, path] = await Promise.all([testDatabase(t), mkdtemp(join(tmpdir(), "berth-disk-"))]);
  t.after(() => rm(path, { recursive: true }));
  const from = await seed(db.write);
  const sessionId = await seedSession(db.write, from);
  const begun: string[] = [];
  const layers: Pick<LayerCache, "prepare"> = {
    async prepare({ plans, onLayer }) {
      for (const plan of plans) onLayer?.(plan);
      return { paths: ["/layer/changes/upper"], failed: null, partial: [], release() {} };
    },
  };
  const deps = {
    rootFilesystem: { settled, state: () => ({ kind: "building" }) },
    layers,
    sources: { npmRegistry: null, pipIndex: null },
  } as unknown as SystemDeps;
  const read = async (contents: object) => {
    await db.write.query({
      text: "update environments set config = $1 where id = $2",
      values: [{ type: "cloud", networking: { type: "unrestricted" }, ...contents }, from.environmentId],
    });
    return (await readInputs(db.read, sessionId)).session;
  };
  const disk = { path, hostDir: path, uid: 70_000 };
  const choose = async (contents: object) =>
    await sessionSystem(deps, {
      session: await read(contents),
      disk,
      runtimes: null,
      signal: new AbortController().signal,
      onEgressDenied() {},
      progress: { start: (phase) => begun.push(phase) },
    });
  return { deps, disk, read, choose, begun };
}

test("sessionSystem: an environment with packages and a script → one progress phase each, in the order of the layers", async (t) => {
  const { choose, begun } = await chooser(t, async () => ({ kind: "ready", path: "/trees/trixie-1" }));
  await choose(PLAIN);
  assert.deepEqual(begun, ["system"]);
  const { system } = await choose(PACKAGES);
  assert.deepEqual(system, { rootFilesystem: "/trees/trixie-1", layers: ["/layer/changes/upper"] });
  assert.deepEqual(begun.slice(1), [
    "system",
    "apt_packages",
    "npm_packages",
    "pip_packages",
    "setup_script",
  ]);
});

test("sessionSystem: some packages could not be installed → the session has the others, and a sentence names those", async (t) => {
  const { deps, choose } = await chooser(t, async () => ({ kind: "ready", path: "/trees/trixie-1" }));
  const failure = { why: "it installed the others", output: "E: no", missing: ["a", "b"] };
  deps.layers.prepare = async ({ plans: [plan] }) => ({
    paths: ["/layer"],
    failed: null,
    partial: plan === undefined ? [] : [{ plan, failure }],
    release() {},
  });
  const { faults, system } = await choose(PACKAGES);
  assert.deepEqual(system?.layers, ["/layer"]);
  assert.deepEqual(faults, [
    "The session runs without the apt packages a and b of its environment. The end of its output:\nE: no",
  ]);
});

test("sessionSystem: the root filesystem is still built → the first session waits for it, and has it", async (t) => {
  const built = Promise.withResolvers<Settled>();
  const { deps, read, choose, begun } = await chooser(t, () => built.promise);
  assert.equal(mayWaitForSystem(deps, await read(PLAIN)), true);
  let chosen = false;
  const system = choose(PLAIN).finally(() => {
    chosen = true;
  });
  while (begun.length === 0) await new Promise(setImmediate);
  assert.deepEqual([begun, chosen], [["system"], false]);
  built.resolve({ kind: "ready", path: "/trees/trixie-1" });
  assert.deepEqual((await system).system, { rootFilesystem: "/trees/trixie-1" });
});

test("sessionSystem: the build failed → no other system, and a sentence with the reason and the next try", async (t) => {
  const retryAt = Date.now() + 59_500;
  const { choose } = await chooser(t, async () => ({ kind: "failed", why: "no mirror\nE: reset", retryAt }));
  for (const contents of [PLAIN, PACKAGES])
    await assert.rejects(
      choose(contents),
      (error) =>
        error instanceof RootFilesystemError &&
        /^The system of sandboxes could not be built: no mirror E: reset\. The next try is in [1-9]\d* s\.$/.test(
          error.message,
        ),
    );
});

test("sessionSystem: a machine that can have none → the engine's own system, and the environment is told to be missing", async (t) => {
  const { choose } = await chooser(t, async () => ({ kind: "unavailable", why: "Berth is no root" }));
  const plain = await choose(PLAIN);
  assert.deepEqual([plain.system, plain.faults], [undefined, []]);
  const { system, faults } = await choose(PACKAGES);
  assert.equal(system, undefined);
  assert.match(faults.join(), /without its environment's packages and setup script.*: Berth is no root\.$/);
});

test("sessionSystem: a disk that began with the engine's own system → it keeps that, also where there is a root filesystem now", async (t) => {
  const { choose, disk } = await chooser(t, async () => ({ kind: "ready", path: "/trees/trixie-1" }));
  await writeFile(join(disk.path, "system"), "host");
  assert.equal((await choose(PLAIN)).system, undefined);
});

test("newSuiteNote: the disk was last opened on another release of Debian → the model is told, once", async (t) => {
  const { choose, disk } = await chooser(t, async () => ({ kind: "ready", path: "/trees/trixie-1" }));
  const noteFor = async (former: string | null) => {
    if (former !== null) await writeFile(join(disk.path, "system"), former);
    return await newSuiteNote(await choose(PLAIN), disk);
  };
  assert.deepEqual(await noteFor(null), []);
  assert.match((await noteFor("bookworm-c9c7aab0 0a1b"))[0] ?? "", /now Debian trixie; it was bookworm\./);
  assert.deepEqual(await noteFor("trixie-0f"), []);
});
