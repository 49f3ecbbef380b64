import { readFile } from "node:fs/promises";

export async function printScript(shell: "bash" | "zsh" | "fish"): Promise<undefined> {
  const file = new URL(`../../../scripts/completion.${shell}`, import.meta.url);
  process.stdout.write(await readFile(file, "utf8"));
}
