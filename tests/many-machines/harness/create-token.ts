import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { OWNER } from "../../made-database/made-database.ts";
import { storesIn } from "./stores.ts";

const BINARY = join(import.meta.dirname, "../../../bin/berth");

/** Creates a token of the owner with every scope, by a command on the cluster in this directory. */
export async function createToken(directory: string): Promise<string> {
  const words = ["bootstrap", "--user", OWNER, "--data-dir", directory];
  const env = { ...process.env, ...storesIn(directory) };
  return (await promisify(execFile)(BINARY, words, { env })).stdout.trim();
}
