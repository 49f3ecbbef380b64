import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { requireRegularFile, withLinkInWords } from "./not-a-regular-file.ts";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/**
 * The text of a file. Never waits: a named pipe without a writer is refused, and not read.
 *
 * @param followsLinks whether a link at the path counts as the file that it leads to. Not where others than the operator may write.
 * @throws NotARegularFile, and as `openSync`.
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
