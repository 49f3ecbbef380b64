import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BINARY = fileURLToPath(new URL("../../bin/berth", import.meta.url));
/** A directory that `makeDatabase` has filled. No `BERTH_…`: it is no setting of a service. */
const VARIABLE = "MADE_DATABASE";
/** The user of the token that is made with it. */
export const OWNER = "owner@example.com";

/**
 * Making a database takes about a third of what a service costs a test. A run of the suite makes one, as an operator does who
 * creates a token before the first start; services that do not test their first start get a copy of it. All else in a data
 * directory (keys, certificate authority, the ids of the installation and of its contents) each service makes for itself.
 *
 * @returns a function that removes it.
 */
export function makeDatabase(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "berth-made-"));
  const words = ["token", "create", "--user", OWNER, "--data-dir", join(directory, "data")];
  const { status, stdout, stderr } = spawnSync(BINARY, words, { env: plainEnvironment(), encoding: "utf8" });
  if (status === 0) {
    writeFileSync(join(directory, "token"), stdout.trim());
    process.env[VARIABLE] = directory;
  } else {
    console.error(`No database could be made for the tests, so each service makes its own: ${stderr}`);
  }
  return () => rmSync(directory, { recursive: true, force: true });
}

/** Copies the made database into an empty data directory. Null, without a copy: none was made. */
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
