import { cliExample } from "../operations/cli-example.ts";
import { commandWords } from "../operations/command-words.ts";
import type { Operation } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import { curlExample } from "./curl-example.ts";
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
