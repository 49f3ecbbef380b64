import type { Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { type Command, InvalidArgumentError } from "commander";
import { withConnection } from "../commands/connection-flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { commandWords, pathParams } from "./command-words.ts";
import { exampleHelp } from "./example-help.ts";
import { groupSummary } from "./group-summaries.ts";

/** Adds a command for every operation of the API that has none of its own. */
export function addOperations(program: Command): void {
  for (const noun of Object.values(operations)) {
    const all = Object.values(noun) as Operation[];
    for (const [verb, operation] of Object.entries(noun) as [string, Operation][]) {
      const words = commandWords(all, verb);
      const parent = words
        .slice(0, -1)
        .reduce((group, _, at) => child(group, words.slice(0, at + 1)), program);
      const name = words.at(-1) ?? "";
      if (parent.commands.some((command) => command.name() === name)) continue;
      addOperation(parent, name, operation).addHelpText("after", () => exampleHelp(operation, words));
    }
  }
}

/** The group that the words lead to, below the one that all but the last lead to. */
function child(parent: Command, words: readonly string[]): Command {
  const name = words.at(-1) ?? "";
  const known = parent.commands.find((command) => command.name() === name);
  if (known !== undefined) return known;
  const summary = groupSummary(words);
  return parent
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
}

function addOperation(parent: Command, name: string, operation: Operation): Command {
  const command = parent.command(name).description(`${operation.summary}.`);
  for (const param of pathParams(operation)) command.argument(`<${param.replaceAll("_", "-")}>`);
  if (operation.body === "json") withFields(command);
  if (operation.method === "GET")
    command.option("-q, --query <name=value...>", "filters, as the API names them");
  if (operation.answers === "page" && !operation.whole) {
    command
      .option("--limit <number>", "how many at most", positive, 20)
      .option("--all", "all that there are, page after page");
  }
  if (operation.answers === "bytes")
    command.option("-o, --output <file>", "where to write; default: standard output");
  else if (operation.answers !== "stream") command.option("--json", "print JSON");
  return withConnection(command).action(async () => {
    const { callOperation } = await import("./call-operation.ts");
    await callOperation(operation, command.processedArgs as string[], command.opts());
    process.exitCode = exitCodes.done;
  });
}

/** The options by which a body is given. */
export function withFields(command: Command): Command {
  return command
    .option(
      "-f, --field <name=text...>",
      "a field of the body; dots lead deeper: metadata.team=core; @file takes a file's text",
    )
    .option("-F, --json-field <name=JSON...>", "the same with a JSON value: limits.pids=100")
    .option("--input <file>", "a body of JSON or YAML that the fields are laid over; - is standard input");
}

function positive(value: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a positive integer.");
  return Number(value);
}
