import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What a root filesystem is built from. Two builds of one recipe differ only in the versions of the packages. */
export interface Recipe {
  suite: string;
  packages: readonly string[];
  /** As Node.js names it. */
  architecture: string;
  /** Raised with each change of the build script. */
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

/** The directory name of the root filesystem that a recipe builds. */
export function recipeKey({ suite, packages, architecture, version }: Recipe): string {
  const text = JSON.stringify([suite, packages.toSorted(), architecture, version]);
  return `${suite}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
