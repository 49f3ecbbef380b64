import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "@berth/linux";
import { quote } from "../scripts/quote.ts";

/** Directory in a sandbox of all trees of runtimes, read-only. */
export const RUNTIMES_INSIDE = "/opt/runtimes";

const PROGRAM = /^[\w+-][\w.+-]{0,63}$/;

/** Programs of a runtime that is missing, which say so. */
const MISSING: Readonly<Record<string, readonly string[]>> = {
  node: ["node", "npm", "npx", "corepack"],
  python: ["python", "python3", "pip", "pip3"],
  go: ["go", "gofmt"],
  rust: ["rustc", "cargo"],
  java: ["java", "javac", "jar"],
  bun: ["bun", "bunx"],
  deno: ["deno"],
  pnpm: ["pnpm", "pnpx"],
  yarn: ["yarn", "yarnpkg"],
  uv: ["uv", "uvx"],
};

/** A runtime that a sandbox lacks. */
export interface MissingRuntime {
  runtime: string;
  /** Name and version in sentences. */
  title: string;
  /** The reason, as a clause. */
  why: string;
  /** What its programs print. Default: that it could not be installed, and why. */
  sentence?: string;
}

/** Number of characters of a sentence that a program prints. */
const MAX_SENTENCE = 1_000;

/**
 * Returns a directory with the programs of these runtimes: links into their trees, and for those that are
 * missing programs that print why. Of two trees with a program, the first counts. Sandboxes with the same
 * runtimes have the same directory.
 *
 * @param directory Host directory in which it is made.
 * @param store Host directory of the trees.
 */
export async function writeProgramLinks(
  directory: string,
  store: string,
  trees: readonly string[],
  missing: readonly MissingRuntime[],
): Promise<string> {
  const digest = createHash("sha256")
    .update(JSON.stringify([trees, missing]))
    .digest("hex");
  const path = join(directory, `programs-${digest.slice(0, 16)}`);
  if (existsSync(path)) return path;
  const making = await makeDirectory(path);
  await linkPrograms(making, store, trees, missing);
  await rename(making, path).catch(async (error) => {
    await removeTree(making);
    // Another sandbox that was opened at the same time may have made it first.
    if (!existsSync(path)) throw error;
  });
  return path;
}

/** Makes an empty directory beside a path, which everybody may read, and returns its own. */
export async function makeDirectory(path: string): Promise<string> {
  const making = `${path}.${randomBytes(8).toString("hex")}`;
  await mkdir(making);
  await chmod(making, 0o755);
  return making;
}

/** Fills an empty directory, which sandboxes may already see, with what `writeProgramLinks` says. */
export async function linkPrograms(
  making: string,
  store: string,
  trees: readonly string[],
  missing: readonly MissingRuntime[],
): Promise<void> {
  const taken = new Set<string>();
  for (const one of missing) {
    for (const name of MISSING[one.runtime] ?? [one.runtime]) {
      await writeFile(join(making, name), sayWhy(one));
      await chmod(join(making, name), 0o755);
      taken.add(name);
    }
  }
  for (const tree of trees) {
    for (const name of await readdir(join(store, tree, "bin"))) {
      if (!PROGRAM.test(name) || taken.has(name)) continue;
      taken.add(name);
      await symlink(`${RUNTIMES_INSIDE}/${tree}/bin/${name}`, join(making, name));
    }
  }
}

/** Returns the variables of commands that use these trees. Java's tools look for it by its directory. */
export function runtimeVariables(trees: readonly string[]): Record<string, string> {
  const java = trees.find((tree) => tree.startsWith("java-"));
  return java === undefined ? {} : { JAVA_HOME: `${RUNTIMES_INSIDE}/${java}/home` };
}

/** Returns the text of a program that prints one sentence, whatever that contains. */
function sayWhy({
  title,
  why,
  sentence = `${title} could not be installed: ${why}.`,
}: MissingRuntime): string {
  return `#!/bin/sh\nprintf '%s\\n' ${quote(sentence.slice(0, MAX_SENTENCE).toWellFormed())} >&2\nexit 127\n`;
}
