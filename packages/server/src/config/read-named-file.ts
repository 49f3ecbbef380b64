import { getSystemErrorMessage } from "node:util";
import { NotARegularFile, readRegularFile } from "@berth/linux";

/**
 * The text of a file that a setting names. Never waits.
 *
 * @param what it is, such as `The kubeconfig`.
 * @throws one sentence with `what` and the path: it cannot be read, or is a directory, named pipe, socket or device.
 */
export function readNamedFile(path: string, what: string): string {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw new Error(`${what}: ${readFailure(path, error)}.`, { cause: error });
  }
}

/** Why a file could not be read, with its path, as the end of a sentence. */
export function readFailure(path: string, error: unknown): string {
  if (error instanceof NotARegularFile) return error.message.replace(/\.$/, "");
  const { errno, message } = error as NodeJS.ErrnoException;
  return `${path} cannot be read: ${errno === undefined ? message : getSystemErrorMessage(errno)}`;
}
