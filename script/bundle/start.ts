/** The command line of a checkout: its bundle, which loads faster, where that is of the present sources, and else the sources. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { currentBundle, ROOT } from "./current-bundle.ts";

const bundle = currentBundle();
const program = bundle === null ? join(ROOT, "packages/cli/src/main.ts") : join(bundle, "main.js");
await import(pathToFileURL(program).href);
