import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { manifestFaults, versionFaults } from "./check-versions.ts";

test("versions: a package has the repository's, and depends on exactly that one of the others", () => {
  const engines = { node: ">=24" };
  const dependencies = { "@berth/linux": "1.2.3", zod: "4.0.0" };
  assert.deepEqual(manifestFaults("a", { version: "1.2.3", engines, dependencies }, "1.2.3"), []);
  assert.deepEqual(
    manifestFaults("a", { version: "1.2.2", dependencies: { "@berth/linux": "*" } }, "1.2.3"),
    [
      "a: the version should be 1.2.3.",
      "a: engines.node should be >=24.",
      "a: the version of @berth/linux should be 1.2.3.",
    ],
  );
  assert.deepEqual(
    manifestFaults("a", { version: "1.2.3", engines, devDependencies: { "@berth/sdk": "^1.2.3" } }, "1.2.3"),
    ["a: the version of @berth/sdk should be 1.2.3."],
  );
});

test("this repository's packages, lockfile and changelog have one version", () => {
  assert.deepEqual(versionFaults(join(import.meta.dirname, "..")), []);
});
