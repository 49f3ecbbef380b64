import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "./document.ts";
import { sdkMethods } from "./sdk-methods.ts";

// node generated-files.ts --check|--write [DIRECTORY]
// Compares the files that are made from the contract with those in a clone of the repository, or writes them.
// Default: this clone. Exits with 1 when one differs or is missing, and with 2 for other arguments.
const FILES = {
  "packages/contract/openapi.json": () => `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  "packages/sdk/src/resources/methods.ts": sdkMethods,
};

const [mode, root = join(import.meta.dirname, "../../../.."), ...others] = process.argv.slice(2);
if ((mode !== "--check" && mode !== "--write") || others.length > 0) {
  process.stderr.write("Usage: generated-files.ts --check|--write [DIRECTORY]\n");
  process.exit(2);
}
for (const [file, make] of Object.entries(FILES)) {
  const path = join(root, file);
  const text = make();
  if (mode === "--write") writeFileSync(path, text);
  else if (contentOf(path) !== text) {
    process.stderr.write(`${file} does not match the contract: run 'npm run openapi'.\n`);
    process.exitCode = 1;
  }
}

/** Returns a file's text, or null if there is no such file. */
function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
