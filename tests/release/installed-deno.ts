import { join } from "node:path";
import { run } from "./run.ts";

const PINNED = "2.9.6";

/** The path of a Deno that is installed into the directory. Its package has the program itself, so that no script need run. */
export async function installedDeno(directory: string): Promise<string> {
  const name = `@deno/${process.platform}-${process.arch}-glibc`;
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", [...install, "--prefix", directory, `${name}@${PINNED}`], directory);
  return join(directory, "node_modules", name, "deno");
}
