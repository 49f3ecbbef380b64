import {
  ConfigError,
  describeSettings,
  plainHttpWarning,
  readSettings,
  unknownVariables,
  withPlace,
} from "@berth/server/settings";
import { Option } from "commander";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { printError, UsageError } from "../../shared/failure.ts";
import { printResult } from "../../shared/output.ts";
import { paletteFor } from "../../terminal/palette.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { printLine } from "../../terminal/print.ts";
import { table } from "../../terminal/table.ts";
import { readGiven, settingFlags } from "./setting-flags.ts";

/** Prints each fault of the settings, and of files that they name. Returns exit code 2 if there is one. */
export async function checkConfig(args: string[]): Promise<number> {
  const { flags } = settingFlags(args, {
    name: "berth config check",
    description: "Check the settings that 'berth serve' would have, without starting anything.",
    help: CHECK_HELP,
  });
  for (const warning of unknownVariables(process.env)) process.stderr.write(`warning: ${warning}\n`);
  try {
    const values = readSettings(process.env, flags, process.cwd());
    const { config, file } = values;
    const plain = plainHttpWarning(config);
    if (plain !== null) process.stderr.write(`warning: ${withPlace(plain, values)}\n`);
    const { settingFaults } = await import("@berth/server/setting-faults");
    const faults = await settingFaults(config);
    if (faults.length > 0) throw new ConfigError(faults.map((fault) => withPlace(fault, values)));
    printLine(
      file === null
        ? "The settings are valid; there is no settings file."
        : `The settings are valid; the settings file is ${file}.`,
    );
    return EXIT_CODES.done;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) printError(new UsageError(fault));
    return EXIT_CODES.usage;
  }
}

/** Prints each setting with its value and source. Secrets are not shown. */
export async function printConfig(args: string[]): Promise<undefined> {
  const { flags, options } = settingFlags(args, PRINT, (command) =>
    command
      .addOption(
        new Option("-o, --output <format>", "format of the output").choices(["table", "json", "yaml"]),
      )
      .option("--json", "print JSON, like -o json"),
  );
  const values = readGiven(flags);
  const rows = describeSettings(values);
  await printResult({ file: values.file, settings: rows }, options, () => tableOf(values.file, rows));
}

function tableOf(file: string | null, rows: ReturnType<typeof describeSettings>): string[] {
  const { dim } = paletteFor(process.stdout);
  const head = ["SETTING", "VALUE", "FROM"].map(dim);
  const cells = rows.map(({ key, value, from, name, line }) => [
    key,
    plainLine(textOf(value)),
    plainLine(from === "file" ? `${file}, line ${line}` : (name ?? from)),
  ]);
  return table([head, ...cells]);
}

function textOf(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "-";
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const CHECK_HELP = `
Prints a sentence for each wrong setting, with its flag, variable, or file, line and key, and for each file, directory or
program that a setting names but Berth cannot use. The exit code is 0 if all are valid, and otherwise 2.
Variables that begin with BERTH_ but are not settings cause warnings, and so does plain HTTP that other machines can reach.

Example:
  $ berth config check --config /etc/berth/berth.yaml`;

const PRINT = {
  name: "berth config print",
  description:
    "Print every setting that 'berth serve' would have, with its value and where it comes from. Secrets are shown as (set).",
  help: `
Example:
  $ berth config print -o json`,
};
