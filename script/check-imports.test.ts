import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { faultOf, importFaults, importsIn, type Rules, rowsOf } from "./check-imports.ts";

const rules: Rules = {
  table: rowsOf({
    "packages/server": {
      imports: ["@berth/contract"],
      tests: ["@berth/store"],
      floors: ["db log", "features"],
    },
    "packages/contract": { imports: [], floors: [] },
    "packages/store": { imports: [], floors: [] },
    tests: { imports: [], floors: [] },
  }),
  exceptions: [{ files: "packages/contract/src/odd", imports: "@berth/server", reason: "an odd file" }],
  manifests: {
    ".": { name: "berth", exports: [], dependencies: ["fast-check"] },
    "packages/server": {
      name: "@berth/server",
      exports: ["."],
      dependencies: ["@berth/contract", "@berth/store", "pg"],
    },
    "packages/store": { name: "@berth/store", exports: ["./db", "./test-support/*"], dependencies: [] },
    "packages/contract": {
      name: "@berth/contract",
      exports: [".", "./ids"],
      dependencies: ["zod", "@berth/server"],
    },
  },
};

const allowed: ReadonlyArray<[file: string, specifier: string]> = [
  ["packages/server/src/index.ts", "node:fs"],
  ["packages/server/src/index.ts", "./config.ts"],
  ["packages/server/src/features/agents/agent-store.ts", "../../db/pool.ts"],
  ["packages/server/src/features/agents/agent-store.ts", "../models/model.ts"],
  ["packages/server/src/features/agents/agents.test.ts", "../../index.ts"],
  ["packages/server/src/features/agents/agents.test.ts", "../../../test-support/database.ts"],
  ["packages/server/test-support/database.ts", "../src/db/pool.ts"],
  ["packages/server/src/index.ts", "pg"],
  ["packages/server/src/index.ts", "@berth/contract"],
  ["packages/server/src/index.ts", "@berth/contract/ids"],
  ["packages/server/src/index.ts", "@berth/server"],
  ["packages/server/src/features/agents/agent-store.ts", "@berth/contract"],
  ["packages/server/src/features/agents/agents.test.ts", "@berth/store/db"],
  ["packages/server/src/features/agents/agents.test.ts", "@berth/store/test-support/internals/db"],
  ["packages/server/src/index.test.ts", "fast-check"],
  ["packages/contract/src/odd/one.ts", "@berth/server"],
];

for (const [file, specifier] of allowed) {
  test(`${file} may import ${specifier}`, () => assert.equal(faultOf({ file, specifier }, rules), undefined));
}

const refused: ReadonlyArray<[file: string, specifier: string, why: RegExp]> = [
  ["packages/contract/src/ids.ts", "@berth/server", /packages\/contract may not import @berth\/server/],
  ["packages/server/src/index.ts", "../../contract/src/ids.ts", /leaves packages\/server/],
  ["packages/server/src/index.ts", "@berth/contract/src/ids.ts", /is not exported by @berth\/contract/],
  ["packages/server/src/index.ts", "zod", /zod is not listed in the package.json of @berth\/server/],
  ["packages/server/src/index.ts", "fast-check", /fast-check is not listed/],
  ["packages/server/src/index.ts", "pg-pool/lib", /pg-pool is not listed/],
  ["tests/acceptance/a.test.ts", "@berth/server", /tests may not import @berth\/server/],
  ["tests/acceptance/a.test.ts", "../../packages/server/src/index.ts", /leaves tests/],
  [
    "packages/server/src/db/pool.ts",
    "../features/agents/agent-store.ts",
    /db may not import packages.server.src.features/,
  ],
  ["packages/server/src/db/pool.ts", "../log/log.ts", /db may not import packages.server.src.log/],
  ["packages/server/src/db/pool.ts", "@berth/store/db", /db may not import @berth.store/],
  ["packages/server/src/db/pool.ts", "@berth/store/test-support/database", /is test support/],
  ["packages/server/src/db/pool.test.ts", "@berth/store/db/pool", /is not exported by @berth\/store/],
  [
    "packages/server/src/features/agents/agent-store.ts",
    "../../index.ts",
    /features may not import packages.server /,
  ],
  ["packages/server/src/index.ts", "../test-support/database.ts", /is test support/],
  ["packages/server/src/http/mount.ts", "node:fs", /no floor/],
  ["elsewhere/a.ts", "node:fs", /no floor/],
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
