import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

/**
 * By the system's `rm`, which goes down by descriptors: it follows no link, and removes trees deeper than a path can be
 * long, which an agent can make and which Node's own `rm` leaves behind.
 */
export async function removeTree(path: string): Promise<void> {
  if (existsSync(path)) await promisify(execFile)("rm", ["-rf", "--one-file-system", "--", path]);
}
