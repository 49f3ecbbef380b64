import { parse } from "yaml";
import { readNamedFile } from "../config/read-named-file.ts";

/** Reads the operator's patch of every pod. @throws Error with one sentence for the operator. */
export function readPodPatch(path: string): object {
  const patch = parsed(readNamedFile(path, "The pod patch"));
  if (typeof patch === "object" && patch !== null && !Array.isArray(patch)) return patch;
  throw new Error(`The pod patch ${path} is not an object in YAML or JSON.`);
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
