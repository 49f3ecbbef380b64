import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "./document.ts";

/** Writes `openapi.json` with `--write`; otherwise exits with 1 if the file does not match the routes. */
const path = join(import.meta.dirname, "../../openapi.json");
const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;

if (process.argv.includes("--write")) {
  writeFileSync(path, text);
} else if (readFileSync(path, "utf8") !== text) {
  process.stderr.write("packages/contract/openapi.json does not match the routes: run 'npm run openapi'.\n");
  process.exitCode = 1;
}
