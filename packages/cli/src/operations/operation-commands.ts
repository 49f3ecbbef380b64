import type { Operation } from "@berth/sdk";
import { commandWords, isAdministration, operations, pathParams } from "@berth/sdk/operations";
import { type Command, Option } from "commander";
import { EXIT_CODES } from "../shared/exit-codes.ts";
import { positiveInteger, withConnection, withFields, withOutput, withYes } from "../shared/options.ts";
import { deletes } from "./deletes.ts";
import { exampleHelp } from "./example-help.ts";

/**
 * Adds a command for every operation of the API that does not have one yet. Operations of administration have
 * handwritten commands, which accept names.
 */
export function addOperations(program: Command): void {
  for (const noun of Object.values(operations)) {
    const all = Object.values(noun) as Operation[];
    if (all.some(isAdministration)) continue;
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
  if (operation.query) command.option("-q, --query <name=value...>", "query parameters of the API");
  if (name === "share" || name === "unshare") withWhom(command, name);
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
    await callOperation(operation, command.processedArgs as string[], withSharing(command.opts(), name));
    process.exitCode = EXIT_CODES.done;
  });
}

interface Sharing {
  user?: string;
  access?: string;
  field?: string[];
  query?: string[];
}

function withWhom(command: Command, name: "share" | "unshare"): void {
  command.option("--user <id or email>", "a user of the organization; default: the whole organization");
  if (name === "share")
    command.addOption(new Option("--access <access>", "default: read").choices(["read", "write"]));
}

/** Returns the options with those of sharing as fields of the body, or of the query. */
function withSharing<Options extends Sharing>({ user, access, ...options }: Options, name: string) {
  const given = Object.entries({ user, access }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return options;
  const into = name === "share" ? "field" : "query";
  return { ...options, [into]: [...(options[into] ?? []), ...given.map((pair) => pair.join("="))] };
}

/** Summaries of groups, by their words. */
const GROUP_SUMMARIES: Readonly<Record<string, string>> = {
  tokens: "manage API tokens",
  "device-authorizations": "request a token without having one, and approve or deny such requests",
  "device-tokens": "get a token that was requested and approved",
  "console-links": "create links that sign in to the console",
  agents: "manage agents: a model with instructions, tools and skills",
  models: "list the models that agents can use",
  runtimes: "list the runtimes that environments can choose",
  environments: "manage environments: network, packages and limits of sandboxes",
  "sessions resources": "manage a session's repositories, files and memory stores",
  "sessions events": "send and read a session's events",
  "sessions workspace": "read the files in a session's sandbox",
  "sessions changes": "read the changes in a session's repositories",
  "sessions pull-requests": "read the state of a session's pull requests",
  connections: "manage connections to git hosts, from which sessions get tokens",
  "deployments triggers": "manage what makes a deployment run when something happens elsewhere",
  webhooks: "manage webhooks: addresses, channels and people that are told of events",
  vaults: "manage vaults: secrets that sessions use but cannot read",
  "vaults credentials": "manage the credentials in a vault",
  "memory-stores": "manage memory stores: notes that agents keep across sessions",
  "memory-stores memories": "manage the memories of a store",
  "memory-stores memory-versions": "list the changes of a store's memories",
  forward: "register resources for your other programs, and list them",
  "forward resources": "register and list resources",
};

/** Returns the summary of a group for its parent's list of commands. */
export function groupSummary(words: readonly string[]): string {
  return GROUP_SUMMARIES[words.join(" ")] ?? `manage ${words.at(-1)?.replaceAll("-", " ")}`;
}
