import { ADMIN_COMMANDS } from "./admin-commands.ts";
import { pathParams } from "./command-words.ts";
import { type Example, examples } from "./examples.ts";
import type { Operation } from "./operation.ts";

/** Returns a command that calls an operation, for a shell with `berth` on its path and the ids set. */
export function cliExample(operation: Operation, words: readonly string[]): string {
  const admin = ADMIN_COMMANDS[operation.id];
  if (admin !== undefined) return `berth admin ${admin}`;
  const example = examples[operation.id] ?? {};
  const ids = pathParams(operation).map((name) => `$${name.toUpperCase()}`);
  const command = ["berth", ...words, ...ids, ...flags(operation, example)].join(" ");
  if (example.body === undefined) return command;
  return `${command} --input - <<JSON\n${JSON.stringify(example.body, null, 2)}\nJSON`;
}

function flags({ id }: Operation, { query = "", form, file }: Example): string[] {
  if (file !== undefined) return [file];
  if (form !== undefined) return [id === "files.upload" ? fileOf(form) : "."];
  const fields = query.split("&").filter((field) => field !== "");
  // These commands have flags of their own.
  if (id === "sessions.list") return ["--status", ...fields.map((field) => field.split("=")[1] ?? "")];
  if (id === "usage.get") return fields.map((field) => `--${field.replace("=", " ").replace("_", "-")}`);
  const limit = fields.find((field) => field.startsWith("limit="));
  const filters = fields.filter((field) => field !== limit).map((field) => `'${field}'`);
  return [
    ...(limit === undefined ? [] : ["--limit", limit.slice("limit=".length)]),
    ...(filters.length === 0 ? [] : ["-q", ...filters]),
  ];
}

/** Returns `notes.txt` for the form `file=@notes.txt`. */
function fileOf([part = ""]: readonly string[]): string {
  return part.slice(part.indexOf("@") + 1);
}
