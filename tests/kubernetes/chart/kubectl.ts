import { execFileSync } from "node:child_process";

export function hasKubectl(): boolean {
  try {
    kubectl(["version", "--client"]);
    return true;
  } catch {
    return false;
  }
}

/** Runs kubectl and returns its output. @throws with its output if it fails. */
export function kubectl(words: readonly string[]): string {
  return execFileSync("kubectl", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}
