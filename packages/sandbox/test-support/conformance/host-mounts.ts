import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";

/** What is mounted on the host, but for what other tests mount meanwhile in directories of their own. @param own of this test. */
export function hostMounts(own: string): string[] {
  const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  return lines.filter((line) => line.includes(own) || !line.includes(` ${tmpdir()}/berth-`));
}
