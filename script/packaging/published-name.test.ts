import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { berthManifest, berthShrinkwrap } from "./berth-manifest.ts";
import { PUBLISHED_NAME } from "./published-name.ts";

const ROOT = join(import.meta.dirname, "../..");

test("published name: the package has it, within the scope of the repository's packages, and the program is `berth`", () => {
  const { name, bin } = berthManifest(ROOT) as { name: string; bin: Record<string, string> };
  const sdk = JSON.parse(readFileSync(join(ROOT, "packages/sdk/package.json"), "utf8")) as { name: string };
  assert.equal(name, PUBLISHED_NAME);
  assert.equal((berthShrinkwrap(ROOT) as { name: string }).name, PUBLISHED_NAME);
  assert.equal(name.split("/")[0], sdk.name.split("/")[0]);
  assert.deepEqual(Object.keys(bin), ["berth"]);
});

test("published name: nothing that people read installs a package that is in no registry", () => {
  const files = globSync(["README.md", "packages/*/README.md", "docs/{guides,security}/*.md"], { cwd: ROOT });
  assert.ok(files.length > 20);
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), "utf8");
    const [line] =
      /\bnpm (?:i|install|add|exec)(?: -\S+)* (?:@berth\/\S+|berth)(?=[\s`]|$)/m.exec(text) ?? [];
    assert.equal(line, undefined, file);
  }
});
