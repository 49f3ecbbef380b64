import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRootFilesystem } from "../src/system/build-root-filesystem.ts";
import { missingForRootFilesystem } from "../src/system/missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE } from "../src/system/recipe.ts";

/** Where the tests of this machine keep the tree, which takes a minute to make. */
export const TEST_ROOT_FILESYSTEMS = join(tmpdir(), "berth-test-systems");

/** Why this machine can have no tree, as a reason to skip; false when it can. */
export async function noRootFilesystem(): Promise<string | false> {
  return (await missingForRootFilesystem(TEST_ROOT_FILESYSTEMS)) ?? false;
}

/** The tree of this version, made unless another test has made it. */
export async function testRootFilesystem(): Promise<string> {
  await mkdir(TEST_ROOT_FILESYSTEMS, { recursive: true, mode: 0o700 });
  return await buildRootFilesystem(TEST_ROOT_FILESYSTEMS, DEBIAN_RECIPE, new AbortController().signal);
}
