import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The inputs of a root filesystem. Two builds of one recipe differ only in the versions of the packages. */
export interface Recipe {
  suite: string;
  packages: readonly string[];
  /** CPU architecture as Node.js names it. */
  architecture: string;
  /** Must be raised with each change of the build script. */
  version: number;
}

/** The packages are in a file, since the image for container engines is built from it, too. */
export const DEBIAN_RECIPE: Recipe = {
  suite: "bookworm",
  packages: readFileSync(new URL("./packages.txt", import.meta.url), "utf8")
    .trim()
    .split("\n"),
  architecture: process.arch,
  version: 1,
};

/** Returns the directory name of the root filesystem that a recipe builds. */
export function recipeKey({ suite, packages, architecture, version }: Recipe): string {
  const text = JSON.stringify([suite, packages.toSorted(), architecture, version]);
  return `${suite}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
