/**
 * Runs the command line of a checkout: the bundle, which loads faster, if it is current, else the sources.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { currentBundle, ROOT } from "./current-bundle.ts";

const bundle = currentBundle();
const program = bundle === null ? join(ROOT, "packages/cli/src/main.ts") : join(bundle, "main.js");
await import(pathToFileURL(program).href);
