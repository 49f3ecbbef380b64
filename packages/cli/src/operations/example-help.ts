import type { Operation } from "@berth/sdk";
import { cliExample, examples } from "@berth/sdk/examples";

/** Returns the end of the help of an operation's command: an example, and where its fields are documented. */
export function exampleHelp(operation: Operation, words: readonly string[]): string {
  const { body, query } = examples[operation.id] ?? {};
  const example = cliExample(operation, words);
  // A here-document is not indented, since a shell finds its end only at the start of a line.
  const shown = body === undefined ? `  $ ${example}` : example;
  const lines = body === undefined && query === undefined ? [] : ["", "Example:", shown];
  const fields = operation.body === "json" || operation.method === "GET" ? [fieldsAt(operation)] : [];
  return [...lines, ...fields, NOTES[operation.id] ?? ""].join("\n");
}

/** Notes that help to choose between commands. */
const NOTES: Readonly<Record<string, string>> = {
  "sessions.cancel":
    "\nTo stop a turn, use 'berth sessions interrupt', which also prints its event. This command does nothing when no turn runs.",
};

function fieldsAt({ id }: Operation): string {
  return `\nFor its fields see /docs#${id} of a running service.`;
}
