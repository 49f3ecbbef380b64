import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BINARY = fileURLToPath(new URL("../../bin/berth", import.meta.url));
/**
 * The variable with the directory that `makeDatabase` has filled. It does not begin with `BERTH_`, since it
 * is no setting.
 */
const VARIABLE = "MADE_DATABASE";
/** The user of the token that is created with the database. */
export const OWNER = "owner@example.com";
/** The name of the operator token that is created with the database. */
export const OPERATOR = "tests";
const TOKENS_FILE = "tokens.json";

/** The tokens that are created with the database: the owner's and an operator's. */
export interface MadeTokens {
  token: string;
  operatorToken: string;
}

/**
 * Creates a database for a test run, like an operator who creates tokens before the first start. Services
 * that do not test their first start copy it, since creating one takes about a third of a service's start.
 * Everything else in a data directory is created by each service: keys, certificate authority, ids.
 *
 * @returns a function that removes it.
 */
export function makeDatabase(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "berth-made-"));
  try {
    const token = bootstrap(directory, "--user", OWNER);
    const operatorToken = bootstrap(directory, "--operator", OPERATOR);
    writeFileSync(
      join(directory, TOKENS_FILE),
      JSON.stringify({ token, operatorToken } satisfies MadeTokens),
    );
    process.env[VARIABLE] = directory;
  } catch (error) {
    console.error(`No database could be made for the tests, so each service makes its own: ${error}`);
  }
  return () => rmSync(directory, { recursive: true, force: true });
}

function bootstrap(directory: string, flag: string, name: string): string {
  const words = ["bootstrap", flag, name, "--data-dir", join(directory, "data")];
  return execFileSync(BINARY, words, { env: plainEnvironment(), encoding: "utf8" }).trim();
}

/** Copies the database into an empty data directory. Returns null and copies nothing if none was created. */
export function copyMadeDatabase(dataDir: string): MadeTokens | null {
  const directory = process.env[VARIABLE];
  if (directory === undefined) return null;
  const words = ["--archive", "--no-target-directory", join(directory, "data"), dataDir];
  const { status, stderr } = spawnSync("cp", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(readFileSync(join(directory, TOKENS_FILE), "utf8")) as MadeTokens;
}

function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BERTH_")));
}
