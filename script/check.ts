import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { importFaults } from "./check-imports.ts";
import { migrationFaults } from "./check-migrations.ts";
import { sqlFaults } from "./check-sql.ts";
import { versionFaults } from "./check-versions.ts";
import { withDeclarations } from "./packaging/pack-sdk.ts";

export type CheckResult = { name: string; ok: boolean; report: string };

/** `program` has a program that `script/up` does not need. */
type Check = { name: string; program?: string; run: () => Promise<Omit<CheckResult, "name">> };

const root = join(import.meta.dirname, "..");
const bin = (name: string): string => join(root, "node_modules/.bin", name);
const generated = "packages/contract/src/openapi/generated-files.ts";

const CHECKS: readonly Check[] = [
  { name: "types", run: () => command(bin("tsc"), ["-p", "."]) },
  { name: "types of the console", run: () => command(bin("tsc"), ["-p", "packages/console"]) },
  { name: "types of @berth/sdk as it is published", run: sdkTypes },
  { name: "lint and format", run: () => command(bin("biome"), ["check", "--error-on-warnings", "."]) },
  { name: "dead code", run: () => command(bin("knip"), ["--no-progress"]) },
  { name: "import table", run: async () => faultReport(importFaults(root)) },
  { name: "place of SQL", run: async () => faultReport(sqlFaults(root)) },
  { name: "migrations", run: async () => faultReport(migrationFaults(root)) },
  { name: "versions", run: async () => faultReport(versionFaults(root)) },
  {
    name: "OpenAPI document and methods of the SDK",
    run: () => command(process.execPath, [generated, "--check"]),
  },
  { name: "shell scripts", program: "shellcheck", run: shellScripts },
  { name: "Perl programs", run: perlPrograms },
];

if (import.meta.main) {
  const results = await checks();
  process.exitCode = results.every((result) => result.ok) ? 0 : 1;
}

/**
 * Runs the checks in parallel and prints one line each, with faults below it.
 *
 * @param isLeftOut Whether a check whose program is not installed is left out. By default it fails.
 */
export async function checks(isLeftOut = false): Promise<CheckResult[]> {
  const possible = CHECKS.filter(({ name, program }) => {
    const isPossible = !isLeftOut || program === undefined || isInstalled(program);
    if (!isPossible) console.log(`- ${name}: left out, since ${program} is not installed`);
    return isPossible;
  });
  return await Promise.all(
    possible.map(async ({ name, run }) => {
      const begun = performance.now();
      const result = { name, ...(await run()) };
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      console.log(`${result.ok ? "✔" : "✖"} ${name} (${seconds} s)`);
      if (!result.ok) console.log(result.report.trimEnd().replaceAll(/^/gm, "    "));
      return result;
    }),
  );
}

function faultReport(faults: readonly string[]): Omit<CheckResult, "name"> {
  return { ok: faults.length === 0, report: faults.join("\n") };
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(":").some((directory) => existsSync(join(directory, program)));
}

async function sdkTypes(): Promise<Omit<CheckResult, "name">> {
  return await withDeclarations(root).then(
    () => ({ ok: true, report: "" }),
    (error: Error) => ({ ok: false, report: error.message }),
  );
}

/**
 * Checks every `.sh` and `.bash` file, and every file without an extension whose first line names sh or bash.
 */
async function shellScripts(): Promise<Omit<CheckResult, "name">> {
  const files = repositoryFiles().filter(
    (file) => /\.(ba)?sh$/.test(file) || (!/\.[^/]*$/.test(file) && /^#!.*\b(ba)?sh\b/.test(firstLine(file))),
  );
  const result = await command("shellcheck", ["--", ...files]);
  return /^spawn shellcheck ENOENT$/.test(result.report)
    ? { ok: false, report: "shellcheck is missing: script/setup --all-tests installs it." }
    : result;
}

async function perlPrograms(): Promise<Omit<CheckResult, "name">> {
  const files = repositoryFiles().filter((file) => file.endsWith(".pl"));
  const results = await Promise.all(files.map((file) => command("perl", ["-c", file])));
  const failed = results.filter(({ ok }) => !ok);
  return { ok: failed.length === 0, report: failed.map(({ report }) => report).join("") };
}

/** Returns tracked and new files, without ignored and deleted ones. */
function repositoryFiles(): string[] {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  return execFileSync("git", list, { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)));
}

function firstLine(file: string): string {
  const descriptor = openSync(join(root, file), "r");
  const bytes = Buffer.alloc(128);
  const length = readSync(descriptor, bytes);
  closeSync(descriptor);
  return bytes.toString("latin1", 0, length).split("\n")[0] ?? "";
}

function command(program: string, args: readonly string[]): Promise<Omit<CheckResult, "name">> {
  if (args[0]?.endsWith(".ts") && !existsSync(join(root, args[0]))) {
    return Promise.resolve({ ok: false, report: `${args[0]} is missing.` });
  }
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let report = "";
    const collect = (chunk: Buffer): void => {
      report += chunk;
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.on("error", (error) => resolve({ ok: false, report: error.message }));
    child.on("close", (code) => resolve({ ok: code === 0, report }));
  });
}
