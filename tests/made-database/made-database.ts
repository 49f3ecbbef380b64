import { spawnSync } from "node:child_process";
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

/**
 * Creates a database for a test run, like an operator who creates a token before the first start. Services
 * that do not test their first start copy it, since creating one takes about a third of a service's start.
 * Everything else in a data directory is created by each service: keys, certificate authority, ids.
 *
 * @returns a function that removes it.
 */
export function makeDatabase(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "berth-made-"));
  const words = ["bootstrap", "--user", OWNER, "--data-dir", join(directory, "data")];
  const { status, stdout, stderr } = spawnSync(BINARY, words, { env: plainEnvironment(), encoding: "utf8" });
  if (status === 0) {
    writeFileSync(join(directory, "token"), stdout.trim());
    process.env[VARIABLE] = directory;
  } else {
    console.error(`No database could be made for the tests, so each service makes its own: ${stderr}`);
  }
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Copies the database into an empty data directory. Returns null and copies nothing if none was created. */
export function copyMadeDatabase(dataDir: string): { token: string } | null {
  const directory = process.env[VARIABLE];
  if (directory === undefined) return null;
  const words = ["--archive", "--no-target-directory", join(directory, "data"), dataDir];
  const { status, stderr } = spawnSync("cp", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { token: readFileSync(join(directory, "token"), "utf8") };
}

function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BERTH_")));
}
