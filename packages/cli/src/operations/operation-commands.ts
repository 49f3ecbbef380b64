import type { Operation } from "@berth/sdk";
import { commandWords, operations, pathParams } from "@berth/sdk/operations";
import { type Command, Option } from "commander";
import { EXIT_CODES } from "../shared/exit-codes.ts";
import { positiveInteger, withConnection, withFields, withOutput, withYes } from "../shared/options.ts";
import { deletes } from "./deletes.ts";
import { exampleHelp } from "./example-help.ts";

/**
 * Adds a command for every operation of the API that does not have one yet. Operator operations have
 * handwritten commands, which accept names.
 */
export function addOperations(program: Command): void {
  for (const noun of Object.values(operations)) {
    const all = Object.values(noun) as Operation[];
    if (all.some(({ credential }) => credential === "operator")) continue;
    for (const [verb, operation] of Object.entries(noun) as [string, Operation][]) {
      const words = commandWords(all, verb);
      const parent = words
        .slice(0, -1)
        .reduce((group, _, at) => commandGroup(group, words.slice(0, at + 1)), program);
      const name = words.at(-1) ?? "";
      if (parent.commands.some((command) => command.name() === name)) continue;
      addOperation(parent, name, operation).addHelpText("after", () => exampleHelp(operation, words));
    }
  }
}

/** Returns the group with these words below `parent`; creates it if missing. */
export function commandGroup(parent: Command, words: readonly string[]): Command {
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
    command.option("-q, --query <name=value...>", "query parameters of the API");
  if (operation.responseKind === "page" && !operation.unpaginated) {
    command
      .option("--limit <number>", "maximum number of objects; default: 20", positiveInteger)
      .addOption(new Option("--all", "list all objects").conflicts("limit"));
  }
  if (operation.responseKind === "bytes")
    command.option("-o, --output <file>", "file to write; default: standard output");
  else if (operation.responseKind !== "stream") withOutput(command);
  if (deletes(operation)) withYes(command);
  return withConnection(command).action(async () => {
    const { callOperation } = await import("./call-operation.ts");
    await callOperation(operation, command.processedArgs as string[], command.opts());
    process.exitCode = EXIT_CODES.done;
  });
}

/** Summaries of groups, by their words. */
const GROUP_SUMMARIES: Readonly<Record<string, string>> = {
  tokens: "manage API tokens",
  "device-authorizations": "request a token without having one, and approve or deny such requests",
  "device-tokens": "get a token that was requested and approved",
  "console-links": "create links that sign in to the console",
  agents: "manage agents: a model with instructions, tools and skills",
  models: "list the models that agents can use",
  environments: "manage environments: network, packages and limits of sandboxes",
  "sessions resources": "manage a session's repositories, files and memory stores",
  "sessions events": "send and read a session's events",
  "sessions workspace": "read the files in a session's sandbox",
  "sessions changes": "read the changes in a session's repositories",
  vaults: "manage vaults: secrets that sessions use but cannot read",
  "vaults credentials": "manage the credentials in a vault",
  "memory-stores": "manage memory stores: notes that agents keep across sessions",
  "memory-stores memories": "manage the memories of a store",
  "memory-stores memory-versions": "list the changes of a store's memories",
  forward: "manage the registry of your resources",
  "forward resources": "register and list resources",
};

/** Returns the summary of a group for its parent's list of commands. */
export function groupSummary(words: readonly string[]): string {
  return GROUP_SUMMARIES[words.join(" ")] ?? `manage ${words.at(-1)?.replaceAll("-", " ")}`;
}
