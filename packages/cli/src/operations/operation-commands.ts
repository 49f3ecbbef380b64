import type { Operation } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import type { Command } from "commander";
import { exitCodes } from "../shared/exit-codes.ts";
import { positiveInteger, withConnection, withFields } from "../shared/options.ts";
import { commandWords, pathParams } from "./command-words.ts";
import { exampleHelp } from "./example-help.ts";

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
  if (operation.responseKind === "page" && !operation.unpaginated) {
    command
      .option("--limit <number>", "how many at most", positiveInteger, 20)
      .option("--all", "all that there are, page after page");
  }
  if (operation.responseKind === "bytes")
    command.option("-o, --output <file>", "where to write; default: standard output");
  else if (operation.responseKind !== "stream") command.option("--json", "print JSON");
  return withConnection(command).action(async () => {
    const { callOperation } = await import("./call-operation.ts");
    await callOperation(operation, command.processedArgs as string[], command.opts());
    process.exitCode = exitCodes.done;
  });
}

/** What the commands of a group are for, by the words that lead to it. */
const summaries: Readonly<Record<string, string>> = {
  tokens: "make, list and revoke tokens of the API",
  agents: "who works: a model with instructions, tools and skills",
  models: "the models that agents can have",
  environments: "what the sandbox of a session may reach and use",
  "sessions resources": "repositories, files and memory stores of a session",
  "sessions events": "messages to a session, and all that happened in it",
  vaults: "secrets that sessions use and cannot read",
  "vaults credentials": "the tokens and secrets in a vault",
  "memory-stores": "notes of agents that outlast their sessions",
  "memory-stores memories": "the notes of a store",
  "memory-stores memory-versions": "what was changed in a store, and by whom",
  forward: "the registry of your resources",
  "forward resources": "register resources, and list them as they are now",
};

/** For the list of commands of what is above. */
export function groupSummary(words: readonly string[]): string {
  return summaries[words.join(" ")] ?? `work with ${words.at(-1)?.replaceAll("-", " ")}`;
}
