import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingForTrees } from "../src/system/missing-for-trees.ts";
import { DEBIAN_RECIPE } from "../src/system/recipe.ts";
import { buildTree } from "../src/system/tree-build.ts";

/** Where the tests of this machine keep the tree, which takes a minute to make. */
export const TEST_TREES = join(tmpdir(), "berth-test-systems");

/** Why this machine can have no tree, as a reason to skip; false when it can. */
export async function noTrees(): Promise<string | false> {
  return (await missingForTrees(TEST_TREES)) ?? false;
}

/** The tree of this version, made unless another test has made it. */
export async function testTree(): Promise<string> {
  await mkdir(TEST_TREES, { recursive: true, mode: 0o700 });
  return await buildTree(TEST_TREES, DEBIAN_RECIPE, new AbortController().signal);
}
