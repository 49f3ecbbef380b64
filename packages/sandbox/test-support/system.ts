import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lackForTrees } from "../src/system/lack-for-trees.ts";
import { debianRecipe } from "../src/system/recipe.ts";
import { buildTree } from "../src/system/tree-build.ts";

/** Where the tests of this machine keep the tree, which takes a minute to make. */
export const testTrees = join(tmpdir(), "berth-test-systems");

/** Why this machine can have no tree, as a reason to skip; false when it can. */
export async function noTrees(): Promise<string | false> {
  return (await lackForTrees(testTrees)) ?? false;
}

/** The tree of this version, made unless another test has made it. */
export async function testTree(): Promise<string> {
  await mkdir(testTrees, { recursive: true, mode: 0o700 });
  return await buildTree(testTrees, debianRecipe, new AbortController().signal);
}
