import assert from "node:assert/strict";
import { test } from "node:test";
import { folderCircles } from "./folder-circles.ts";

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
  assert.match(found[0] ?? "", /p\/src\/a → p\/src\/b → p\/src\/c\/deep → p\/src\/a/);
  assert.match(found[0] ?? "", /p\/src\/b\/two\.ts imports \.\.\/c\/deep\/three\.ts/);
});

test("files of one folder, packages by name, and the door of a package make no circle", () => {
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
