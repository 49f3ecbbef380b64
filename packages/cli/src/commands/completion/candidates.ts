import type { Argument, Command, Option } from "commander";
import { readContexts } from "../../shared/contexts.ts";
import type { Candidate } from "./candidate.ts";
import { idsOf, models } from "./ids.ts";
import { nameOf, type Position } from "./position.ts";

/** Tells the shell to complete a file name. */
export const FILES = "files";

export type Candidates = readonly Candidate[] | typeof FILES;

/** Returns the completions at a position. Rejects when a request to the service fails. */
export async function candidatesAt(position: Position): Promise<Candidates> {
  const { command, args, option, word, flags } = position;
  if (option !== undefined) return await valuesOf(option, position);
  if (flags && word.startsWith("-")) return await flagsOf(position);
  const argument = command.registeredArguments[args.length] ?? lastVariadic(command);
  const values = argument === undefined ? [] : await argumentValues(argument, position);
  if (args.length > 0 || values === FILES) return values;
  return [...childrenOf(command), ...values];
}

async function valuesOf(option: Option, position: Position): Promise<Candidates> {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value }));
  if (/<(file|dir)(\.\.\.)?>/.test(option.flags)) return FILES;
  switch (nameOf(option)) {
    case "--model":
      return await models(position);
    case "--context":
      return await contexts();
    case "--agent":
      return await idsOf("agent_id", position);
    case "--environment":
      return await idsOf("environment_id", position);
    default:
      return [];
  }
}

/** Returns the flags that the line does not have yet, or that may be repeated. */
async function flagsOf({ command, given }: Position): Promise<Candidate[]> {
  const isSettings = command.registeredArguments[0]?.name() === "flags";
  const settings = isSettings ? (await import("../local/setting-options.ts")).settingOptions() : [];
  return [...command.createHelp().visibleOptions(command), ...settings]
    .filter((option) => option.variadic || !given.has(nameOf(option)))
    .map((option) => ({ value: nameOf(option), about: option.description }));
}

function childrenOf(command: Command): Candidate[] {
  const children = command.createHelp().visibleCommands(command);
  return children.map((child) => ({ value: child.name(), about: child.summary() || child.description() }));
}

function lastVariadic({ registeredArguments }: Command): Argument | undefined {
  const last = registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

function isOfContexts(command: Command): boolean {
  return command.parent?.name() === "context" || command.name() === "logout";
}

async function contexts(): Promise<Candidate[]> {
  const { contexts: known } = await readContexts();
  return Object.entries(known).map(([value, { url }]) => ({ value, about: url }));
}

async function argumentValues(argument: Argument, position: Position): Promise<Candidates> {
  if (argument.argChoices !== undefined) return argument.argChoices.map((value) => ({ value }));
  const name = argument.name().replaceAll("-", "_");
  if (position.command.name() === "api") return [];
  if (name === "path" || name === "dir") return FILES;
  if (isOfContexts(position.command)) return await contexts();
  // Handwritten commands of sessions name their argument only "id".
  return await idsOf(name === "id" ? "session_id" : name, position);
}
