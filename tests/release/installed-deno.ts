import { join } from "node:path";
import { run } from "./run.ts";

const PINNED = "2.9.6";

/**
 * Returns the path of a Deno that it installs into the directory. Its package contains the program, so that
 * no install script needs to run.
 */
export async function installedDeno(directory: string): Promise<string> {
  const name = `@deno/${process.platform}-${process.arch}-glibc`;
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", [...install, "--prefix", directory, `${name}@${PINNED}`], directory);
  return join(directory, "node_modules", name, "deno");
}
