import { createInterface } from "node:readline/promises";
import { EXIT_CODES } from "./exit-codes.ts";
import { UsageError } from "./failure.ts";

/** Options of a command that asks for confirmation. `yes` confirms in advance. */
export interface ConfirmOptions {
  yes?: boolean;
}

/**
 * Asks for confirmation on a terminal. Without a terminal it does not ask.
 * @throws UsageError unless the answer is yes; with exit code 130 for Ctrl-C.
 */
export async function confirm(question: string, { yes }: ConfirmOptions): Promise<void> {
  if (yes || !process.stdin.isTTY) return;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const given = Promise.withResolvers<string>();
  prompt.once("close", () => given.resolve(""));
  prompt.once("SIGINT", () => given.reject(new UsageError("Interrupted.", EXIT_CODES.interrupted)));
  prompt.question(`${question} [y/N] `).then(given.resolve, given.reject);
  const answer = await given.promise.finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("Nothing was changed.", EXIT_CODES.failed);
}
