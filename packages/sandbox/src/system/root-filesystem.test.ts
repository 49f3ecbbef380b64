import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { cannotBuildRootFilesystem } from "../../test-support/system.ts";
import { sweepRootFilesystems } from "./build-root-filesystem.ts";
import { recipeKey } from "./recipe.ts";
import { RootFilesystem } from "./root-filesystem.ts";

const RECIPE = { suite: "nosuch", lines: ["debian git", "suite nosuch"] };
const signal = new AbortController().signal;

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-root-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe("RootFilesystem", { skip: await cannotBuildRootFilesystem() }, () => {
  test("the build fails → failed, with the reason without paths and the time of the next try", async (t) => {
    const directory = temporary(t);
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const rootFilesystem = RootFilesystem.open({ directory, recipe: RECIPE, log });
    assert.equal(rootFilesystem.state().kind, "building");
    const settled = await rootFilesystem.settled(signal);
    assert.ok(settled.kind === "failed", settled.kind);
    assert.match(settled.why, /^mmdebstrap could not make the system: /);
    assert.ok(!settled.why.includes(directory));
    assert.ok(settled.retryAt > Date.now() && settled.retryAt < Date.now() + 61_000);
    assert.match(lines.at(-1) ?? "", /the next try is in 60 s$/);
    await rootFilesystem.close();
  });

  test("it was built before → ready, and no sweep of another version removes it until it is closed", async (t) => {
    const directory = temporary(t);
    const path = join(directory, recipeKey(RECIPE));
    mkdirSync(path);
    const rootFilesystem = RootFilesystem.open({ directory, recipe: RECIPE, log: () => {} });
    assert.deepEqual(await rootFilesystem.settled(signal), { kind: "ready", path });
    const sweep = { directory, keep: "trixie-other", unusedMinutes: 0 };
    await sweepRootFilesystems(sweep);
    assert.ok(readdirSync(directory).includes(recipeKey(RECIPE)));
    await rootFilesystem.close();
    await sweepRootFilesystems(sweep);
    assert.deepEqual(readdirSync(directory), []);
  });

  test("its directory can hold no overlay → unavailable", async (t) => {
    const directory = join(temporary(t), "a:b");
    const rootFilesystem = RootFilesystem.open({ directory, recipe: RECIPE, log: () => {} });
    const settled = await rootFilesystem.settled(signal);
    assert.equal(settled.kind, "unavailable");
    await rootFilesystem.close();
  });

  test("its directory cannot be written → unavailable, with the reason", async (t) => {
    const file = join(temporary(t), "file");
    writeFileSync(file, "");
    const directory = join(file, "systems");
    const rootFilesystem = RootFilesystem.open({ directory, recipe: RECIPE, log: () => {} });
    const why = `the directory of systems ${directory} cannot be written (ENOTDIR)`;
    assert.deepEqual(await rootFilesystem.settled(signal), { kind: "unavailable", why });
    await rootFilesystem.close();
  });
});
