import { ConfigError, readSettings, SETTING_FLAGS, type SettingValues } from "@berth/server/settings";
import { Command } from "commander";
import { UsageError } from "../../shared/failure.ts";

/** A command whose flags are the settings. */
interface SettingsCommand {
  name: string;
  description: string;
  help: string;
}

/** Reads the settings from `args`, variables and the file. Wrong ones end the command with exit code 2. */
export function settingsFrom(args: string[], command: SettingsCommand): SettingValues {
  return readGiven(settingFlags(args, command).flags);
}

/** Reads the settings. @throws UsageError with all faults. */
export function readGiven(flags: Record<string, string>): SettingValues {
  try {
    return readSettings(process.env, flags, process.cwd());
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
}

/** Parses the flags of settings, by their names without dashes, and the command's other options. */
export function settingFlags(
  args: string[],
  { name, description, help }: SettingsCommand,
  addOptions: (command: Command) => void = () => undefined,
): { flags: Record<string, string>; options: Record<string, unknown> } {
  const command = new Command(name)
    .description(description)
    .exitOverride()
    .showHelpAfterError("Run with --help for usage.")
    .addHelpText("after", help)
    .option("--config <file>", "settings file; default: berth/berth.yaml in ~/.config, else in /etc");
  addOptions(command);
  for (const { flag, form, help: line } of SETTING_FLAGS) command.option(`${flag} ${form}`, line);
  command.parse(args, { from: "user" });
  const options = command.opts<Record<string, string>>();
  const names = ["config", ...SETTING_FLAGS.map(({ flag }) => flag.slice(2))];
  return { flags: Object.fromEntries(names.flatMap((one) => pair(one, options[camelCase(one)]))), options };
}

function pair(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
