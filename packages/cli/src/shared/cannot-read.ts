import { getSystemErrorMap } from "node:util";

/** Returns a sentence that a file cannot be read, and why. */
export function cannotRead(path: string, error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  const [, reason = message] = getSystemErrorMap().get(errno ?? 0) ?? [];
  return `Cannot read '${path}': ${reason}.`;
}
