import assert from "node:assert/strict";
import { test } from "node:test";
import { importsIn } from "./check-imports.ts";
import { fileCircles, folderCircles } from "./import-circles.ts";

const imports = (...pairs: [file: string, specifier: string][]) =>
  pairs.map(([file, specifier]) => ({ file, specifier }));

test("folders that import each other, over any number of steps, are one circle", () => {
  const found = folderCircles(
    imports(
      ["p/src/a/one.ts", "../b/two.ts"],
      ["p/src/b/two.ts", "../c/deep/three.ts"],
      ["p/src/c/deep/three.ts", "../../a/one.ts"],
      ["p/src/d/four.ts", "../a/one.ts"],
    ),
  );
  assert.equal(found.length, 1);
  assert.match(found[0] ?? "", /^circle of folders: p\/src\/a → p\/src\/b → p\/src\/c\/deep → p\/src\/a/);
  assert.match(found[0] ?? "", /p\/src\/b\/two\.ts imports \.\.\/c\/deep\/three\.ts/);
});

test("files of one folder, packages by name, and the door of a package make no circle of folders", () => {
  const found = folderCircles(
    imports(
      ["p/src/a/one.ts", "./two.ts"],
      ["p/src/a/two.ts", "./one.ts"],
      ["p/src/index.ts", "./a/one.ts"],
      ["p/src/a/one.ts", "../errors.ts"],
      ["p/src/a/one.ts", "@berth/other"],
    ),
  );
  assert.deepEqual(found, []);
});

const SOURCES: readonly [name: string, there: string, back: string][] = [
  ["values", 'import { two } from "./two.ts";', 'export { one } from "./one.ts";'],
  ["types", 'import type { Two } from "./two.ts";', 'import { type One } from "./one.ts";'],
  ["dynamic imports", 'const two = import("./two.ts");', 'import { one } from "./one.ts";'],
  ["types of a dynamic import", 'type Two = import("./two.ts").Two;', 'import type { One } from "./one.ts";'],
];

for (const [name, there, back] of SOURCES)
  test(`files that import each other by ${name} are one circle`, () => {
    const found = fileCircles([...importsIn("p/a/one.ts", there), ...importsIn("p/a/two.ts", back)]);
    assert.deepEqual(found, [
      "circle of files: p/a/one.ts → p/a/two.ts → p/a/one.ts (p/a/one.ts imports ./two.ts; p/a/two.ts imports ./one.ts)",
    ]);
  });

test("a circle of files that leads through three folders and a door is found", () => {
  const found = fileCircles(
    imports(
      ["p/src/a/one.ts", "../b/two.ts"],
      ["p/src/b/two.ts", "../index.ts"],
      ["p/src/index.ts", "./a/one.ts"],
      ["p/src/c/three.ts", "./four.ts"],
    ),
  );
  assert.equal(found.length, 1);
  assert.match(found[0] ?? "", /p\/src\/a\/one\.ts → p\/src\/b\/two\.ts → p\/src\/index\.ts/);
});

test("files that are imported twice, and packages by name, make no circle of files", () => {
  const found = fileCircles(
    imports(
      ["p/a/one.ts", "./two.ts"],
      ["p/a/one.ts", "./three.ts"],
      ["p/a/two.ts", "./three.ts"],
      ["p/a/three.ts", "@berth/one"],
    ),
  );
  assert.deepEqual(found, []);
});
