import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { UsageError } from "../../shared/failure.ts";
import { isTerminal } from "../../terminal/palette.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { workspacePath } from "./workspace-path.ts";

/**
 * Writes the bytes of a file to standard output. To a terminal it writes only text, without control
 * characters.
 * @throws UsageError for a binary file on a terminal.
 */
export async function printFile(id: string, given: string, options: ConnectionOptions): Promise<undefined> {
  const client = await connect(options);
  const { body } = await client.sessions.workspace.content(id, { path: workspacePath(given) });
  const source = body === null ? Readable.from([]) : Readable.fromWeb(body);
  if (!isTerminal(process.stdout)) await pipeline(source, process.stdout, { end: false });
  else process.stdout.write(await textOf(source));
}

async function textOf(source: Readable): Promise<string> {
  const bytes = Buffer.concat(await source.toArray());
  if (bytes.includes(0))
    throw new UsageError(
      "The file is binary, and standard output is a terminal: redirect it, or use 'berth sessions cp'.",
    );
  return plainText(bytes.toString("utf8"));
}
