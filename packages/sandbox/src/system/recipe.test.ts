import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SYSTEM_IDS } from "../interface/spec.ts";
import { shellScript } from "../scripts/read-script.ts";
import { readRecipe, recipeKey } from "./recipe.ts";

const TEXT = readFileSync(new URL("./recipe.txt", import.meta.url), "utf8");

test("recipe: a package without a reason, or of an unknown form → an error that names the line", () => {
  assert.doesNotThrow(() => readRecipe(TEXT, "x64"));
  for (const line of ["debian jq", "debian jq #", "debian jq # ", "rpm jq # JSON", "debian jq;id # JSON"])
    assert.throws(() => readRecipe(`${TEXT}${line}\n`, "x64"), new RegExp(`: ${line}$`));
});

test("recipe: the scripts read the same lines, for each architecture", () => {
  const script = `${shellScript("system/debian-tree.sh")}\nrecipe_lines "$1"`;
  for (const architecture of ["x64", "arm64"]) {
    const { lines } = readRecipe(TEXT, architecture);
    const read = execFileSync("sh", ["-eu", "-c", script, "sh", architecture], { input: TEXT });
    assert.equal(read.toString(), `${lines.join("\n")}\n`);
    assert.equal(lines.filter((line) => line.startsWith("npm ")).length, 3);
  }
});

test("recipe: its name changes with every line, and not with reasons or order", () => {
  const key = (text: string) => recipeKey(readRecipe(text, "x64"));
  assert.match(key(TEXT), /^trixie-[0-9a-f]{16}$/);
  assert.equal(key(TEXT.split("\n").toReversed().join("\n")), key(TEXT));
  assert.equal(key(TEXT.replaceAll(/# .*/g, "# another reason")), key(TEXT));
  for (const other of [`${TEXT}debian bc # sums\n`, TEXT.replace(/^version \d+/m, "version 99")])
    assert.notEqual(key(other), key(TEXT));
});

test("root filesystem: the script gives its files to the ids that the engine maps", () => {
  assert.match(
    shellScript("system/build-root-filesystem.sh"),
    new RegExp(`^first=${SYSTEM_IDS.first}$`, "m"),
  );
});
