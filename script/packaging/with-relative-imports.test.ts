import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withRelativeImports } from "./with-relative-imports.ts";

const ROOT = join(import.meta.dirname, "../..");

test("imports between packages become relative paths, by the packages' exports; texts stay as they are", () => {
  const text = `import { z } from "zod";
import { operations } from "@berth/contract/operations";
import {
  serve,
} from "@berth/server";
export * from "@berth/contract";
const later = await import("@berth/server");
const part = await import("@berth/contract/operations");
const example = 'import { Berth } from "@berth/sdk";';
`;
  assert.equal(
    withRelativeImports(ROOT, "packages/cli/src/main.js", text),
    `import { z } from "zod";
import { operations } from "../../contract/src/operations/operations.js";
import {
  serve,
} from "../../server/src/index.js";
export * from "../../contract/src/index.js";
const later = await import("../../server/src/index.js");
const part = await import("../../contract/src/operations/operations.js");
const example = 'import { Berth } from "@berth/sdk";';
`,
  );
  assert.throws(
    () => withRelativeImports(ROOT, "a.js", 'import "a";\nimport { b } from "@berth/contract/none";\n'),
    /@berth\/contract has no export \.\/none/,
  );
});
