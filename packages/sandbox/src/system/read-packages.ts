import { readFile } from "node:fs/promises";
import type { Recipe } from "./recipe.ts";

/** Returns the versions of a recipe's packages in a root filesystem, by name. */
export async function readPackages(path: string, { lines }: Recipe): Promise<Record<string, string>> {
  const status = await readFile(`${path}/var/lib/dpkg/status`, "utf8");
  const installed = new Map(
    status.split("\n\n").map((entry) => [field(entry, "Package"), field(entry, "Version")]),
  );
  const packages = lines.flatMap((line): [string, string][] => {
    const [kind, ...words] = line.split(" ");
    if (kind === "debian") return [[words[0] ?? "", installed.get(words[0] ?? "") ?? ""]];
    return kind === "npm" ? [[words[1] ?? "", words[2] ?? ""]] : [];
  });
  return Object.fromEntries(packages.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function field(entry: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, "m").exec(entry)?.[1] ?? "";
}
