import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Reads a file as latin1 text. Returns "" if it cannot be read, such as the /proc files of an ended process.
 */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Returns the target of a symbolic link; "" if it cannot be read. */
export function readlinkOrEmpty(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Returns the entries of a directory; none if it cannot be read. */
export function listOrEmpty(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
