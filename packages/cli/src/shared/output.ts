import { Writable } from "node:stream";
import type { Output } from "../terminal/palette.ts";
import { printJson, printLine, printMessage } from "../terminal/print.ts";
import { UsageError } from "./failure.ts";
import type { Format, OutputOptions } from "./formats.ts";

export function formatOf({ output, json }: OutputOptions): Format {
  return json ? "json" : (output ?? "table");
}

/** Returns whether the output is for people. */
export function isForPeople(options: OutputOptions): boolean {
  return formatOf(options) === "table";
}

/**
 * Prints the result of a command: an object, or a list as `{data, …}`. The format `id` prints a line for each
 * object of a list.
 * @param lines Returns the lines for people.
 */
export async function printResult(
  value: object,
  options: OutputOptions,
  lines: () => Iterable<string>,
): Promise<void> {
  if (options.quiet) return;
  const format = formatOf(options);
  if (format === "table") printTable([...lines()]);
  else if (format === "json") printJson(value);
  else if (format === "yaml") await printYaml(value);
  else
    for (const object of "data" in value && Array.isArray(value.data) ? value.data : [value]) printId(object);
}

function printTable(lines: readonly string[]): void {
  for (const line of lines) printLine(line);
  // On a terminal an empty list looks like a command that did nothing; elsewhere it has no lines.
  if (lines.length === 0 && process.stdout.isTTY) printMessage("There are none.");
}

/** Prints one of several objects, such as events: a line of JSON, a document of YAML, or an id. */
export async function printItem(value: object, options: OutputOptions): Promise<void> {
  if (options.quiet) return;
  const format = formatOf(options);
  if (format === "id") printId(value);
  else if (format === "yaml") await printYaml(value, "---\n");
  else printJson(value);
}

/** Returns the stream for output to people; with `quiet` it discards everything. */
export function peopleOutput({ quiet }: OutputOptions): Output {
  return quiet ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stdout;
}

function printId(object: { id?: unknown }): void {
  if (typeof object.id !== "string")
    throw new UsageError("The output of this command has no id: choose table, json or yaml.");
  printLine(object.id);
}

async function printYaml(value: object, before = ""): Promise<void> {
  const { stringify } = await import("yaml");
  process.stdout.write(before + stringify(value));
}
