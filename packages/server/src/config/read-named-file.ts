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
    if (error instanceof NotARegularFile) throw new Error(`${what}: ${error.message}`, { cause: error });
    throw new Error(`${what} ${path} cannot be read.`, { cause: error });
  }
}
