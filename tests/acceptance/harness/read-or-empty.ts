import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A file's bytes, one character each; empty for one that is gone, as those of a process that has just ended are. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Where a link leads; empty for one that is gone. */
export function readlinkOrEmpty(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** What lies in a directory; nothing for one that is gone. */
export function listOrEmpty(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
