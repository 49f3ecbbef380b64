import type { Stats } from "node:fs";

/**
 * Thrown for a path that is not a regular file. Opening or reading something else may block forever, never
 * end or lead elsewhere.
 */
export class NotARegularFile extends Error {}

/**
 * Checks that a status is that of a regular file.
 * @throws NotARegularFile
 */
export function requireRegularFile(path: string, status: Stats): void {
  if (!status.isFile()) throw notARegularFile(path, kindOf(status));
}

/** Translates the error of `open` with O_NOFOLLOW for a link; returns any other error unchanged. */
export function withLinkInWords(path: string, error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === "ELOOP" ? notARegularFile(path, "a link") : error;
}

function notARegularFile(path: string, kind: string): NotARegularFile {
  return new NotARegularFile(`${path} is ${kind}, and not a file.`);
}

function kindOf(status: Stats): string {
  if (status.isDirectory()) return "a directory";
  if (status.isFIFO()) return "a named pipe";
  if (status.isSymbolicLink()) return "a link";
  return status.isSocket() ? "a socket" : "a device";
}
