import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A file as latin1 text; empty when it cannot be read, such as the /proc files of a process that has just ended. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** The target of a symbolic link; empty when it cannot be read. */
export function readlinkOrEmpty(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** The entries of a directory; none when it cannot be read. */
export function listOrEmpty(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
