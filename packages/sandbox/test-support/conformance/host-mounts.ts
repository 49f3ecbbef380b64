import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * Returns the mounts of the host, except those of concurrent tests in their directories.
 *
 * @param own Directory of this test.
 */
export function hostMounts(own: string): string[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.filter((line) => line.includes(own) || !line.includes(` ${tmpdir()}/berth-`));
}
