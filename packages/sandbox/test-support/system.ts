import { buildRootFilesystem } from "../src/system/build-root-filesystem.ts";
import { missingForBuilding, missingForMounting } from "../src/system/missing-for-root-filesystem.ts";
import { DEBIAN_RECIPE } from "../src/system/recipe.ts";

/**
 * Directory of the root filesystem that all tests of this machine share with `script/setup`, which builds it,
 * since building takes minutes.
 */
const DIRECTORY = process.env.BERTH_SYSTEM_DIR ?? "/var/cache/berth-system";

/** Returns a reason to skip on machines that cannot build a root filesystem, otherwise false. */
export async function cannotBuildRootFilesystem(): Promise<string | false> {
  return (await missingForMounting(DIRECTORY)) ?? missingForBuilding() ?? false;
}

/**
 * Returns the path of this version's root filesystem, or a reason to skip. Builds it unless it exists: call it
 * when the file is loaded, so that the time does not count in a test's limit.
 */
export async function testRootFilesystem(): Promise<
  { path: string; skip: false } | { path: ""; skip: string }
> {
  const skip = await cannotBuildRootFilesystem();
  if (skip !== false) return { path: "", skip };
  return { path: await buildRootFilesystem(DIRECTORY, DEBIAN_RECIPE, new AbortController().signal), skip };
}
