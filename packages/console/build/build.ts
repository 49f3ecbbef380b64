import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HOME = join(import.meta.dirname, "..");
const ROOT = join(HOME, "../..");
/** The digest of the sources that the built files come from. */
const DIGEST_FILE = join(HOME, "dist/sources.sha256");

const SOURCES = [
  "packages/console/{src,build}/**/*",
  "packages/console/{index.html,package.json,vite.config.ts}",
  "packages/sdk/src/**/*.ts",
  "packages/contract/src/{operations,conventions}/**/*.ts",
  "package-lock.json",
];

const digest = sourcesDigest();
const isCurrent = existsSync(DIGEST_FILE) && readFileSync(DIGEST_FILE, "utf8") === digest;

// With `--check` nothing is built: the exit code is 1 if a build is due.
if (process.argv.includes("--check")) process.exitCode = isCurrent ? 0 : 1;
else if (!isCurrent) await buildConsole();

async function buildConsole(): Promise<void> {
  const { build } = await import("vite");
  await build({ configFile: join(HOME, "vite.config.ts"), logLevel: "warn" });
  writeFileSync(DIGEST_FILE, digest);
}

function sourcesDigest(): string {
  const hash = createHash("sha256");
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${file.slice(ROOT.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
