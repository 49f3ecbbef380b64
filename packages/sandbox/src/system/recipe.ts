import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** What a system tree is made of. Two trees of one key are the same but for newer versions of the same packages. */
export interface Recipe {
  suite: string;
  packages: readonly string[];
  /** As Node names it. */
  architecture: string;
  /** Of everything else that the build does; raised with each change of it. */
  version: number;
}

/** The packages are in a file, which the builders of the image of the container engines read too. */
export const DEBIAN_RECIPE: Recipe = {
  suite: "bookworm",
  packages: readFileSync(new URL("./packages.txt", import.meta.url), "utf8")
    .trim()
    .split("\n"),
  architecture: process.arch,
  version: 1,
};

/** Names the tree of a recipe, as the directory that it lies in. */
export function recipeKey({ suite, packages, architecture, version }: Recipe): string {
  const text = JSON.stringify([suite, packages.toSorted(), architecture, version]);
  return `${suite}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
