import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ROOT, run } from "./run.ts";

/** The versions to install, by their major part, if none is on the path. */
const PINNED = { 20: "20.20.2", 24: "24.22.3" } as const;

/**
 * Returns the path of a Node.js with this major version: the machine's own, or one installed into the
 * directory. The client supports 20 and later; runners of actions have 24.
 */
export async function installedNode(directory: string, major: keyof typeof PINNED): Promise<string> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (folder.startsWith(ROOT) || !filesIn(folder).includes("node")) continue;
    const node = join(folder, "node");
    if ((await run(node, ["--version"], directory)).startsWith(`v${major}.`)) return node;
  }
  const name = `node-${process.platform}-${process.arch}`;
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", directory];
  await run("npm", [...install, `${name}@${PINNED[major]}`], directory);
  return join(directory, "node_modules", name, "bin/node");
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
