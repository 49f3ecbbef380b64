import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { faultOf, importFaults, importsIn, type Rules } from "./check-imports.ts";

const rules: Rules = {
  table: { "packages/server": ["@berth/contract"], "packages/contract": [], tests: [] },
  exceptions: [{ files: "packages/contract/src/odd/", imports: "@berth/server", reason: "an odd file" }],
  manifests: {
    ".": { name: "berth", exports: [], dependencies: ["fast-check"] },
    "packages/server": { name: "@berth/server", exports: ["."], dependencies: ["@berth/contract", "pg"] },
    "packages/contract": {
      name: "@berth/contract",
      exports: [".", "./ids"],
      dependencies: ["zod", "@berth/server"],
    },
  },
};

const allowed: ReadonlyArray<[file: string, specifier: string]> = [
  ["packages/server/src/app.ts", "node:fs"],
  ["packages/server/src/app.ts", "./config.ts"],
  ["packages/server/src/http/mount.ts", "../app.ts"],
  ["packages/server/src/app.ts", "pg"],
  ["packages/server/src/app.ts", "@berth/contract"],
  ["packages/server/src/app.ts", "@berth/contract/ids"],
  ["packages/server/src/app.ts", "@berth/server"],
  ["packages/server/src/app.test.ts", "fast-check"],
  ["packages/contract/src/odd/one.ts", "@berth/server"],
];

for (const [file, specifier] of allowed) {
  test(`${file} may import ${specifier}`, () => assert.equal(faultOf({ file, specifier }, rules), undefined));
}

const refused: ReadonlyArray<[file: string, specifier: string, why: RegExp]> = [
  ["packages/contract/src/ids.ts", "@berth/server", /packages\/contract may not import @berth\/server/],
  ["packages/server/src/app.ts", "../../contract/src/ids.ts", /leaves packages\/server/],
  ["packages/server/src/app.ts", "@berth/contract/src/ids.ts", /is not exported by @berth\/contract/],
  ["packages/server/src/app.ts", "zod", /zod is not listed in the package.json of @berth\/server/],
  ["packages/server/src/app.ts", "fast-check", /fast-check is not listed/],
  ["packages/server/src/app.ts", "pg-pool/lib", /pg-pool is not listed/],
  ["tests/acceptance/a.test.ts", "@berth/server", /tests may not import @berth\/server/],
  ["tests/acceptance/a.test.ts", "../../packages/server/src/app.ts", /leaves tests/],
  ["elsewhere/a.ts", "node:fs", /no room/],
];

for (const [file, specifier, why] of refused) {
  test(`${file} may not import ${specifier}`, () =>
    assert.match(faultOf({ file, specifier }, rules) ?? "", why));
}

test("every form of import is seen", () => {
  const source = [
    'import { a } from "one";',
    "import type {",
    "  B,",
    '} from "two";',
    'export { c } from "three";',
    'import "four";',
    'const five = await import("node:five");',
    'const six = import.meta.resolve("node:six");',
    'const text = "from nowhere";',
  ].join("\n");
  const seen = importsIn("a.ts", source).map((found) => found.specifier);
  assert.deepEqual(seen.sort(), ["four", "node:five", "node:six", "one", "three", "two"]);
});

test("this repository keeps its import table", () => {
  assert.deepEqual(importFaults(join(import.meta.dirname, "..")), []);
});
