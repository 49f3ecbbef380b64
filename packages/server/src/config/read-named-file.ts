import { getSystemErrorMessage } from "node:util";
import { NotARegularFile, readRegularFile } from "@berth/linux";

/**
 * Returns the text of a file that a setting names. Never blocks.
 * @param what Description of the file, such as `The kubeconfig`.
 * @throws Error with one sentence, with `what` and the path, when it cannot be read or is not a regular file.
 */
export function readNamedFile(path: string, what: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw new Error(`${what}: ${readFailure(path, error)}.`, { cause: error });
  }
}

/** Returns why a file could not be read, with its path, as the end of a sentence. */
export function readFailure(path: string, error: unknown): string {
  if (error instanceof NotARegularFile) return error.message.replace(/\.$/, "");
  const { errno, message } = error as NodeJS.ErrnoException;
  return `${path} cannot be read: ${errno === undefined ? message : getSystemErrorMessage(errno)}`;
}
