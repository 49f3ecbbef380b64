import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pastDoors } from "./past-doors.ts";

const root = mkdtempSync(join(tmpdir(), "berth-doors-"));
after(() => rmSync(root, { recursive: true }));
const home = join(root, "packages/store");
mkdirSync(join(home, "src"), { recursive: true });
const manifest = { exports: { "./db": "./src/db.ts", "./kept": "./src/kept.ts" } };
writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
writeFileSync(
  join(home, "src/db.ts"),
  '/** A door. */\nexport { open } from "./db/pool.ts";\nexport {\n  ping,\n  type Row,\n} from "./db/rows.ts";\n',
);
writeFileSync(join(home, "src/kept.ts"), 'export { open } from "./db/pool.ts";\nexport const more = 1;\n');
const [pool, rows] = ["pool", "rows"].map((name) => JSON.stringify(join(home, `src/db/${name}.ts`)));

for (const [what, text, expected] of [
  ["one file", 'import { open } from "@berth/store/db";\n', `import { open } from ${pool};\n`],
  [
    "several files, on as many lines",
    'import {\n  open as opened,\n  type Row,\n} from "@berth/store/db";\nnext();\n',
    `import { open as opened } from ${pool}; import { type Row } from ${rows};\n\n\n\nnext();\n`,
  ],
  ["an export", 'export { ping } from "@berth/store/db";\n', `export { ping } from ${rows};\n`],
  [
    "a dynamic import",
    'const { ping: asked } = await import("@berth/store/db");\n',
    `const { ping: asked } = await import(${rows});\n`,
  ],
] as const) {
  test(`${what} behind a door: named by its path`, () => assert.equal(pastDoors(root, text), expected));
}

for (const text of [
  'import { open } from "@berth/store/kept";\n',
  'import { absent } from "@berth/store/db";\n',
  'const { open, ping } = await import("@berth/store/db");\n',
  'import type { Row } from "@berth/store/db";\n',
  'import { open } from "./db.ts";\n',
]) {
  test(`stays as it is: ${text.trim()}`, () => assert.equal(pastDoors(root, text), text));
}
