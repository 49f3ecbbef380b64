import { readFile } from "node:fs/promises";
import { cannotRead } from "./cannot-read.ts";
import { UsageError } from "./failure.ts";

/** Reads a secret from a file, without the final newline. */
export async function secretFile(path: string): Promise<string> {
  try {
    return secretOf(await readFile(path, "utf8"), `The file '${path}' is empty.`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(cannotRead(path, error));
  }
}

/** Reads a secret from an environment variable. */
export function secretVariable(name: string): string {
  return nonEmpty(process.env[name] ?? "", `The variable '${name}' is not set.`);
}

/** Returns a file's content as a secret, without the final newline. @throws UsageError if it is empty. */
export function secretOf(content: string, complaint: string): string {
  return nonEmpty(content.trimEnd(), complaint);
}

function nonEmpty(secret: string, complaint: string): string {
  if (secret === "") throw new UsageError(complaint);
  return secret;
}
