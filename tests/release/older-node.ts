import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ROOT, run } from "./run.ts";

/** The version to install if no Node.js 20 is on the path. */
const PINNED = "20.20.2";

/**
 * Returns the path of a Node.js 20, the oldest version that the client supports: the machine's own, or one
 * installed into the directory.
 */
export async function olderNode(directory: string): Promise<string> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    if (folder.startsWith(ROOT) || !filesIn(folder).includes("node")) continue;
    const node = join(folder, "node");
    if ((await run(node, ["--version"], directory)).startsWith("v20.")) return node;
  }
  const name = `node-${process.platform}-${process.arch}`;
  const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", directory];
  await run("npm", [...install, `${name}@${PINNED}`], directory);
  return join(directory, "node_modules", name, "bin/node");
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
