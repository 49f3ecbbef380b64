import { createInterface } from "node:readline/promises";
import { EXIT_CODES } from "./exit-codes.ts";
import { UsageError } from "./failure.ts";

/** The option that answers before it is asked. */
export interface ConfirmOptions {
  yes?: boolean;
}

/**
 * Asks on a terminal whether something may be taken away. Programs that have no terminal are not asked: a script says what it wants.
 *
 * @throws UsageError unless the answer is yes; exit code 130 for Ctrl-C.
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
