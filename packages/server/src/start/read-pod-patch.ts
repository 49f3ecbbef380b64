import { readFile } from "node:fs/promises";
import { parse } from "yaml";

/** Reads the operator's patch of every pod. @throws one sentence for the operator. */
export async function readPodPatch(path: string): Promise<object> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new Error(`The patch of pods ${path} cannot be read.`);
  });
  const patch = parsed(text);
  if (typeof patch === "object" && patch !== null && !Array.isArray(patch)) return patch;
  throw new Error(`The patch of pods ${path} is not an object in YAML or JSON.`);
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return null;
  }
}
