import type { Sandbox } from "@berth/sandbox";
import type { ListedFile } from "../sandbox-io/nul-records.ts";
import { OUTPUTS } from "./list-outputs.ts";

/** Bytes of a file that are in memory at once. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const CHUNK_MS = 60_000;

/** Thrown when a file could not be read up to its listed size. */
export class UnreadableOutput extends Error {}

/** Thrown when the sandbox ended, or the time was over. */
export class ReadInterrupted extends Error {}

/** The name is passed as octal escapes, since a variable cannot hold bytes that are not UTF-8. */
const READ_SCRIPT = `exec 2>/dev/null
file=$(printf '%b.' "$NAME")
file=${OUTPUTS}/\${file%.}
exec dd if="$file" bs=65536 skip="$FROM" count="$COUNT" iflag=nofollow,nonblock,skip_bytes,count_bytes status=none`;

/**
 * Streams a file of the sandbox up to its listed size, one chunk per command.
 *
 * @throws UnreadableOutput, ReadInterrupted
 */
export async function* readOutput(
  sandbox: Sandbox,
  output: ListedFile,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < output.size; from += CHUNK_BYTES) {
    const count = Math.min(CHUNK_BYTES, output.size - from);
    const read = await sandbox.run({
      script: READ_SCRIPT,
      cwd: "/",
      environment: { NAME: escaped(output.path), FROM: `${from}`, COUNT: `${count}`, LC_ALL: "C" },
      timeoutMs: CHUNK_MS,
      maxOutputBytes: count,
      signal,
    });
    if (read.ended !== "exit") throw new ReadInterrupted();
    const whole = read.output.length === count && read.omittedBytes === 0;
    if (read.exitCode !== 0 || !whole) throw new UnreadableOutput();
    yield read.output;
  }
}

function escaped(path: Buffer): string {
  return Array.from(path, (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
}
