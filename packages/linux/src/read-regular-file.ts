import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { requireRegularFile, withLinkInWords } from "./not-a-regular-file.ts";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/**
 * Reads a text file without ever blocking: a named pipe is rejected.
 * @param followsLinks Whether to follow a link at the path. Set it to false where others than the operator
 * may write.
 * @throws NotARegularFile, and the errors of `openSync`.
 */
export function readRegularFile(path: string, { followsLinks = true } = {}): string {
  const descriptor = openDescriptor(path, O_RDONLY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW));
  try {
    requireRegularFile(path, fstatSync(descriptor));
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function openDescriptor(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw withLinkInWords(path, error);
  }
}
