import { createHash } from "node:crypto";

/** What a system tree is made of. Two trees of one key are the same but for newer versions of the same packages. */
export interface Recipe {
  suite: string;
  packages: readonly string[];
  /** As Node names it. */
  architecture: string;
  /** Of everything else that the build does; raised with each change of it. */
  version: number;
}

export const debianRecipe: Recipe = {
  suite: "bookworm",
  packages: [
    ...["bsdutils", "bzip2", "ca-certificates", "curl", "file", "gh", "git", "jq", "less", "nodejs", "npm"],
    ...[
      "openssh-client",
      "openssl",
      "patch",
      "perl",
      "procps",
      "python-is-python3",
      "python3",
      "python3-pip",
    ],
    ...["python3-venv", "ripgrep", "rsync", "unzip", "xz-utils", "zip"],
  ],
  architecture: process.arch,
  version: 1,
};

/** Names the tree of a recipe, as the directory that it lies in. */
export function recipeKey({ suite, packages, architecture, version }: Recipe): string {
  const text = JSON.stringify([suite, packages.toSorted(), architecture, version]);
  return `${suite}-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
