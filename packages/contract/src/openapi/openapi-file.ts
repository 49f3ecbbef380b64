import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "./document.ts";

/**
 * `--write` makes `openapi.json` of this package; `--check` exits with 1 when it is not what the routes say.
 */
const path = join(import.meta.dirname, "../../openapi.json");
const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;

if (process.argv.includes("--write")) {
  writeFileSync(path, text);
} else if (readFileSync(path, "utf8") !== text) {
  process.stderr.write("packages/contract/openapi.json is not what the routes say: run 'npm run openapi'.\n");
  process.exitCode = 1;
}
