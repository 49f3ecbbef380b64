import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildRootFilesystem } from "../src/system/build-root-filesystem.ts";
import { missingForRootFilesystem } from "../src/system/missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE } from "../src/system/recipe.ts";

/**
 * Directory of the root filesystem that all tests of this machine share, since building it takes a minute.
 */
export const TEST_ROOT_FILESYSTEMS = join(tmpdir(), "berth-test-systems");

/** Returns a reason to skip on machines that cannot build one, otherwise false. */
export async function noRootFilesystem(): Promise<string | false> {
  return (await missingForRootFilesystem(TEST_ROOT_FILESYSTEMS)) ?? false;
}

/** Returns the path of this version's root filesystem, building it unless it exists. */
export async function testRootFilesystem(): Promise<string> {
  await mkdir(TEST_ROOT_FILESYSTEMS, { recursive: true, mode: 0o700 });
  return await buildRootFilesystem(TEST_ROOT_FILESYSTEMS, DEBIAN_RECIPE, new AbortController().signal);
}
