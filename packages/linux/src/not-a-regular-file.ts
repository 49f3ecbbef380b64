import type { Stats } from "node:fs";

/** The path is that of something else, which may never end or never begin to give bytes, or which leads elsewhere. */
export class NotARegularFile extends Error {}

/** @throws NotARegularFile */
export function requireRegularFile(path: string, status: Stats): void {
  if (!status.isFile()) throw notARegularFile(path, kindOf(status));
}

/** What `open` says with O_NOFOLLOW of a link, in words; another error as it is. */
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
