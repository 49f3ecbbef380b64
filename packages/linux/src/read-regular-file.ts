import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

/** The path is that of something else, which may never end or never begin to give bytes. */
export class NotARegularFile extends Error {}

/** The text of a file. Never waits: a named pipe without a writer is refused, and not read. @throws NotARegularFile, and as `openSync`. */
export function readRegularFile(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new NotARegularFile(`${path} is ${kindOf(status)}, and not a file.`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

function kindOf(status: Stats): string {
  if (status.isDirectory()) return "a directory";
  if (status.isFIFO()) return "a named pipe";
  return status.isSocket() ? "a socket" : "a device";
}
