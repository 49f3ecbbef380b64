// Plants one mistake at a time in a copy of the repository and runs the test that must notice it.
//   npm run mutations               all of tests/mutations
//   npm run mutations -- NAME…      those whose names contain one of these
// Prints a line for each. Exits with 0 only if all were caught.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutation, readMutations } from "./read-mutations.ts";

const ROOT = join(import.meta.dirname, "..");
const TEST_TIMEOUT_MS = 300_000;

const names = process.argv.slice(2);
const chosen = readMutations(ROOT).filter(
  ({ name }) => names.length === 0 || names.some((part) => name.includes(part)),
);
const caught = chosen.filter((mutation) => {
  const fault = plant(mutation);
  console.log(fault === null ? `✔ ${mutation.name}` : `✖ ${mutation.name}: ${fault}`);
  return fault === null;
});
console.log(`${caught.length} of ${chosen.length} caught`);
process.exitCode = chosen.length > 0 && caught.length === chosen.length ? 0 : 1;

/** Returns null if the expected test fails, otherwise what happened instead. */
function plant({ patch, test, fails }: Mutation): string | null {
  const copy = mkdtempSync(join(tmpdir(), "berth-mutation-"));
  try {
    copyRepository(copy);
    const applied = run(copy, "git", ["apply", "--whitespace=nowarn", patch]);
    if (applied.status !== 0) return `the patch does not apply: ${applied.output}`;
    const { status, output } = run(copy, process.execPath, ["--test", "--test-reporter=spec", test]);
    if (status === 0) return `survived ${test}`;
    const failed = output.split("\n").filter((line) => line.trimStart().startsWith("✖ "));
    return failed.some((line) => line.includes(fails)) ? null : `another test failed:\n${failed.join("\n")}`;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies the tracked and new files, and links the installed packages. */
function copyRepository(copy: string): void {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).split("\0").filter(Boolean);
  for (const file of files) cpSync(join(ROOT, file), join(copy, file), { verbatimSymlinks: true });
  const [from, to] = [join(ROOT, "node_modules"), join(copy, "node_modules")];
  mkdirSync(to);
  for (const entry of readdirSync(from)) {
    // The workspaces' links are relative, so copies of them point to the copy's packages.
    if (entry === "@berth")
      cpSync(join(from, entry), join(to, entry), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, entry), join(to, entry));
  }
}

function run(
  cwd: string,
  program: string,
  args: readonly string[],
): { status: number | null; output: string } {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = {
    cwd,
    env,
    encoding: "utf8",
    timeout: TEST_TIMEOUT_MS,
    maxBuffer: 64 * 1_048_576,
  } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  return { status, output: `${stdout}${stderr}`.trim() };
}
