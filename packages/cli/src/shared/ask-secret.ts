import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { EXIT_CODES } from "./exit-codes.ts";
import { UsageError } from "./failure.ts";

/** Asks on a terminal, which does not show what is typed; otherwise reads standard input. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output, terminal: true });
  // From here on the terminal shows nothing of what is typed.
  process.stderr.write(question);
  const given = Promise.withResolvers<string>();
  prompt.once("close", () => given.resolve(""));
  prompt.once("SIGINT", () => given.reject(new UsageError("Interrupted.", EXIT_CODES.interrupted)));
  prompt.question("").then(given.resolve, given.reject);
  try {
    return (await given.promise).trim();
  } finally {
    prompt.close();
    process.stderr.write("\n");
  }
}
