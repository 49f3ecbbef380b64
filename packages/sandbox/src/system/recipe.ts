import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The inputs of a root filesystem. Two builds of one recipe differ only in the versions of Debian's packages. */
export interface Recipe {
  suite: string;
  /**
   * Its lines: `suite`, `version`, `architecture`, and one for each package. They are passed to the scripts
   * that build.
   */
  lines: readonly string[];
}

/** A line: a keyword, its values, and the reason. */
const FORM =
  /^(?<keyword>suite|version|debian|npm) (?<value>[A-Za-z0-9.+/=-]+( [A-Za-z0-9.+/=-]+){0,3}) +# \S/;

/** The recipe is a file of its own, since the images for containers and pods are built from it, too. */
const RECIPE = readFileSync(new URL("./recipe.txt", import.meta.url), "utf8");

export const DEBIAN_RECIPE: Recipe = readRecipe(RECIPE, process.arch);

/**
 * Returns what a recipe says for an architecture. `recipe_lines` of `debian-tree.sh` returns the same lines.
 *
 * @param architecture as Node.js names it.
 * @throws for a line without a reason, or of an unknown form.
 */
export function readRecipe(text: string, architecture: string): Recipe {
  const lines = [`architecture ${architecture}`];
  let suite = "";
  for (const line of text.split("\n").filter((one) => !/^(#|\s*$)/.test(one))) {
    const { keyword, value = "" } = FORM.exec(line)?.groups ?? {};
    if (keyword === undefined) throw new Error(`The recipe has a line without a form or a reason: ${line}`);
    if (keyword === "suite") suite = value;
    const [of, ...rest] = keyword === "npm" ? value.split(" ") : [architecture, value];
    if (of !== architecture && of !== "any") continue;
    lines.push(keyword === "npm" ? `npm ${architecture} ${rest.join(" ")}` : `${keyword} ${value}`);
  }
  return { suite, lines: lines.toSorted((a, b) => (a < b ? -1 : 1)) };
}

/** Returns the directory name of the root filesystem that a recipe builds. */
export function recipeKey({ suite, lines }: Recipe): string {
  const digest = createHash("sha256")
    .update(`${lines.join("\n")}\n`)
    .digest("hex");
  return `${suite}-${digest.slice(0, 16)}`;
}
