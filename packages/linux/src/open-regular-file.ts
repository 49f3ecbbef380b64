import * as fs from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { requireRegularFile, withLinkInWords } from "./not-a-regular-file.ts";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;

/**
 * Opens a file in a directory that others may write to. It follows no link at the path and never blocks.
 * @param flags Flags of open(2), such as `O_RDWR`. Default: read-only.
 * @throws NotARegularFile, and the errors of `open`.
 */
export async function openRegularFile(path: string, flags = O_RDONLY): Promise<FileHandle> {
  const file = await open(path, flags | O_NONBLOCK | O_NOFOLLOW).catch((error: unknown) => {
    throw withLinkInWords(path, error);
  });
  try {
    requireRegularFile(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Returns the `lstat` of a file.
 * @throws NotARegularFile, and the errors of `lstat`.
 */
export async function statRegularFile(path: string): Promise<fs.Stats> {
  const status = await lstat(path);
  requireRegularFile(path, status);
  return status;
}

/**
 * Streams a file, or its bytes from `start` to `end`, inclusive. The stream fails with the errors of
 * `openRegularFile`.
 */
export function streamRegularFile(path: string, range: { start?: number; end?: number } = {}): fs.ReadStream {
  return fs.createReadStream(path, {
    ...range,
    fs: { open: openDescriptor, read: fs.read, close: fs.close },
  });
}

type Opened = (error: Error | null, descriptor?: number) => void;

/** Opens a file for a read stream, whose own flags and mode are ignored. */
function openDescriptor(path: string, _flags: unknown, _mode: unknown, opened: Opened): void {
  fs.open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, (failure, descriptor) => {
    if (failure !== null) return opened(withLinkInWords(path, failure) as Error);
    fs.fstat(descriptor, (error, status) => {
      const problem = error ?? problemOf(path, status);
      if (problem === null) return opened(null, descriptor);
      fs.close(descriptor, () => opened(problem));
    });
  });
}

function problemOf(path: string, status: fs.Stats): Error | null {
  try {
    requireRegularFile(path, status);
    return null;
  } catch (error) {
    return error as Error;
  }
}
