import { type Command, InvalidArgumentError, Option } from "commander";
import { type Budget, budgetOf, DOLLARS_FORM } from "./dollars.ts";
import { FORMATS } from "./formats.ts";

/**
 * Adds the options by which a command finds its server. A token comes from a file or a variable, never from
 * an argument, since other users of the machine can read arguments.
 */
export function withConnection(command: Command): Command {
  return command
    .option(
      "--url <address>",
      "URL of the server; default: BERTH_URL, else the context's URL, else client.json in the data directory",
    )
    .option("--context <name>", "context of berth login, with its URL and token; default: BERTH_CONTEXT")
    .addOption(caFileOption())
    .option(
      "--token-file <file>",
      "file that contains the token; default: BERTH_TOKEN, BERTH_TOKEN_FILE, else the context's token, else client.json",
    )
    .option(
      "--data-dir <dir>",
      "data directory of an installation on this machine; default: BERTH_DATA_DIR, else .berth",
    );
}

/** Returns the option for a file of authorities, which are trusted in addition to the machine's. */
export function caFileOption(): Option {
  return new Option(
    "--ca-file <file>",
    "file with the certificates (PEM) of authorities to trust for an https URL; default: BERTH_CA_FILE",
  );
}

/** Adds the options for the output of a command. */
export function withOutput(command: Command): Command {
  const output = new Option("-o, --output <format>", "output format").choices([...FORMATS]).default("table");
  return command
    .addOption(output.conflicts("json"))
    .option("--json", "print JSON, like -o json")
    .option("--quiet", "print nothing but errors");
}

/** Adds the option of a command that asks for confirmation. */
export function withYes(command: Command): Command {
  return command.option("--yes", "do not ask for confirmation, as a terminal does");
}

/** Adds the options of a command that acts on the installation of this host. */
export function withInstallation(command: Command): Command {
  return withOutput(
    command
      .option("--data-dir <dir>", "data directory of the installation; default: the settings' directory")
      .option("--config <file>", "settings file; default: BERTH_CONFIG, else the file of 'berth serve'"),
  );
}

/** Adds the options of a command that calls a server and prints what it returns. */
export function withClient(command: Command): Command {
  return withConnection(withOutput(command));
}

/** Adds the options that make up a JSON body. */
export function withFields(command: Command): Command {
  return command
    .option(
      "-f, --field <name=text...>",
      "set a field of the body; a.b=text for a nested field; @file reads the text from a file",
    )
    .option("-F, --json-field <name=JSON...>", "set a field to a JSON value, such as resources.pids=100")
    .option(
      "--input <file>",
      "JSON or YAML file with the body, which the fields override; - for standard input",
    );
}

/** Who sees a new object. */
export function visibilityOption(): Option {
  return new Option("--visibility <visibility>", "who sees it; default: the organization's default").choices([
    "private",
    "organization",
  ]);
}

export function positiveInteger(value: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a positive integer.");
  return Number(value);
}

export function dollars(value: string): Budget {
  const budget = budgetOf(value);
  if (budget === null) throw new InvalidArgumentError(DOLLARS_FORM);
  return budget;
}

/** Returns the items of a comma-separated list, without spaces around them. */
export function commaList(value: string): string[] {
  return value.split(",").map((item) => item.trim());
}

export function seconds(value: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(value)) throw new InvalidArgumentError("It must be a number of seconds.");
  return Number(value);
}
