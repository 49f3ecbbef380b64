import { globSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import {
  BUNDLES,
  CURRENT_FILE,
  type CurrentBundle,
  currentBundle,
  ROOT,
  sourceState,
} from "./current-bundle.ts";
import { takeDirectory } from "./take-directory.ts";

/** Files that determine how the sources are bundled, besides the sources. */
const SETTINGS = ["packages/*/package.json", "packages/{store,runs,api}/src/*.ts", "script/bundle/*.ts"];
/**
 * The step of the kernel's clock. A file that was changed in the last step could change again without a new
 * time.
 */
const CLOCK_STEP_MS = 20;

// With `--check` nothing is built: the exit code is 1 if a build is due.
if (process.argv.includes("--check")) process.exitCode = currentBundle() === null ? 1 : 0;
else while (currentBundle() === null) await buildBundle();

/** Builds a bundle, and discards it if its sources have changed meanwhile. */
async function buildBundle(): Promise<void> {
  const begun = Date.now() - CLOCK_STEP_MS;
  const directory = takeDirectory(BUNDLES);
  const path = join(BUNDLES, directory);
  try {
    const files = [
      ...(await bundle(ROOT, { directory: path, extension: ".ts" })),
      ...globSync(SETTINGS, { cwd: ROOT }),
    ];
    if (files.some((file) => statSync(join(ROOT, file)).ctimeMs >= begun))
      return rmSync(path, { recursive: true });
    makeCurrent({ directory, sources: Object.fromEntries(files.map((file) => [file, sourceState(file)])) });
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
}

function makeCurrent(bundle: CurrentBundle): void {
  const partial = join(BUNDLES, bundle.directory, "current.json");
  writeFileSync(partial, JSON.stringify(bundle));
  renameSync(partial, CURRENT_FILE);
}
