import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { EXIT_CODES } from "./exit-codes.ts";
import { UsageError } from "./failure.ts";

/** Asks on a terminal without echo; otherwise reads standard input. @throws UsageError for Ctrl-C. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output, terminal: true });
  // From here on the terminal does not echo input.
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
