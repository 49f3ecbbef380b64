import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { cannotRead } from "../../shared/cannot-read.ts";

/** Returns the path of a file that a document names, relative to the directory of the document's file. */
export function pathFrom(directory: string, given: string): string {
  return given.startsWith("/") ? given : join(directory, given);
}

/** Returns the content of a file that a field names, or a sentence if it cannot be read. */
export async function bytesOf(directory: string, field: string, given: unknown): Promise<Buffer | string> {
  if (typeof given !== "string" || given === "") return `Field '${field}' must be the path of a file.`;
  const path = pathFrom(directory, given);
  try {
    return await readFile(path);
  } catch (error) {
    return cannotRead(path, error);
  }
}
