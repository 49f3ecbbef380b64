import { cliExample } from "../operations/cli-example.ts";
import { commandWords } from "../operations/command-words.ts";
import { type Example, examples } from "../operations/examples.ts";
import type { Operation } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import { sdkExample } from "./sdk-example.ts";

interface CodeSample {
  lang: string;
  label: string;
  source: string;
}

/** Returns the same call with curl, the command line and the SDK. */
export function codeSamples(operation: Operation): CodeSample[] {
  const [noun = "", verb = ""] = operation.id.split(".");
  const siblings = Object.values<Operation>(operations[noun as keyof typeof operations]);
  const command = cliExample(operation, commandWords(siblings, verb));
  return [
    { lang: "Shell", label: "curl", source: curlExample(operation) },
    { lang: "Shell", label: "berth", source: command },
    { lang: "TypeScript", label: "@berth/sdk", source: sdkExample(operation) },
  ];
}

/**
 * Returns a curl command that calls an operation, for a shell in which `BERTH_URL`, `BERTH_TOKEN` and the ids
 * are set: `$SESSION_ID` for `{session_id}`.
 */
function curlExample(operation: Operation): string {
  const example = examples[operation.id] ?? {};
  const method = operation.method === "GET" ? [] : [`-X ${operation.method}`];
  const parts = [
    ["curl -sS", ...method, addressOf(operation, example)].join(" "),
    ...(operation.credential === "none" ? [] : ['-H "Authorization: Bearer $BERTH_TOKEN"']),
    ...(example.headers ?? []).map((header) => `-H "${header}"`),
    ...(example.form ?? []).map((part) => `-F "${part}"`),
    ...(example.file === undefined ? [] : [`--data-binary @${example.file}`]),
    ...(example.body === undefined ? [] : ['-H "Content-Type: application/json"', "-d @- <<JSON"]),
  ];
  const command = parts.join(" \\\n  ");
  if (example.body === undefined) return command;
  return `${command}\n${JSON.stringify(example.body, null, 2)}\nJSON`;
}

function addressOf({ path, responseKind }: Operation, { query }: Example): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const flags = [responseKind === "stream" ? "-N" : "", query?.includes("[") ? "-g" : ""].filter(Boolean);
  return [...flags, `"$BERTH_URL${filled}${query === undefined ? "" : `?${query}`}"`].join(" ");
}
