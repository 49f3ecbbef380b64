import type { Operation } from "@berth/sdk";
import { type Example, examples } from "@berth/sdk/examples";
import { pathParams } from "./command-words.ts";

/** The end of the help of an operation's command: an example, and where its fields are documented. */
export function exampleHelp(operation: Operation, words: readonly string[]): string {
  const example = examples[operation.id];
  const call = ["berth", ...words, ...pathParams(operation).map((name) => `$${name.toUpperCase()}`)].join(
    " ",
  );
  const shown = example === undefined ? [] : linesOf(call, example);
  const lines = shown.length === 0 ? [] : ["", "Example:", ...shown];
  const fields = operation.body === "json" || operation.method === "GET" ? [fieldsAt(operation)] : [];
  return [...lines, ...fields].join("\n");
}

function linesOf(call: string, { body, query }: Example): string[] {
  if (body !== undefined)
    // Not indented: a shell finds the end of a here-document only at the start of a line.
    return [`${call} --input - <<JSON`, ...JSON.stringify(body, null, 2).split("\n"), "JSON"];
  const filters = (query ?? "").split("&").filter((filter) => filter !== "" && !filter.startsWith("limit="));
  return filters.length === 0 ? [] : [`  $ ${call} -q ${filters.map((filter) => `'${filter}'`).join(" ")}`];
}

function fieldsAt({ id }: Operation): string {
  return `\nFor its fields see /docs#${id} of a running service.`;
}
