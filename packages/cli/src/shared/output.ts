import { Writable } from "node:stream";
import type { Output } from "../terminal/palette.ts";
import { printJson, printLine, printMessage } from "../terminal/print.ts";
import { UsageError } from "./failure.ts";
import type { Format, OutputOptions } from "./formats.ts";

export function formatOf({ output, json }: OutputOptions): Format {
  return json ? "json" : (output ?? "table");
}

/** Whether people read what is printed. */
export function isForPeople(options: OutputOptions): boolean {
  return formatOf(options) === "table";
}

/**
 * Prints what a command returns: an object, or a list as `{data, …}`, of which the format `id` prints a line for each object.
 *
 * @param lines for people.
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
  // An empty list looks like a command that did nothing; a program that counts lines gets none.
  if (lines.length === 0 && process.stdout.isTTY) printMessage("There are none.");
}

/** Prints one of several objects that are no list, such as events: a line of JSON, a document of YAML, or an id. */
export async function printItem(value: object, options: OutputOptions): Promise<void> {
  if (options.quiet) return;
  const format = formatOf(options);
  if (format === "id") printId(value);
  else if (format === "yaml") await printYaml(value, "---\n");
  else printJson(value);
}

/** Where what is for people goes. */
export function peopleOutput({ quiet }: OutputOptions): Output {
  return quiet ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stdout;
}

function printId(object: { id?: unknown }): void {
  if (typeof object.id !== "string")
    throw new UsageError("What this command prints has no id: choose table, json or yaml.");
  printLine(object.id);
}

async function printYaml(value: object, before = ""): Promise<void> {
  const { stringify } = await import("yaml");
  process.stdout.write(before + stringify(value));
}
